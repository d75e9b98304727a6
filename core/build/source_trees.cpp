#include "core/build/source_trees.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/build/tree_edit.h"

namespace weir {

namespace {

// A pattern without a slash is about names at any depth, as people know it from .gitignore. `cache` is the
// store's folder as seen from the source, or empty.
store::Exclude exclude_of(const std::vector<std::string>& globs, const std::string& cache) {
  if (globs.empty() && cache.empty()) return {};
  return [globs, cache](std::string_view path) {
    if (path == cache) return true;
    const auto name = path.substr(path.rfind('/') + 1);
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return glob_matches(glob, glob.find('/') == glob.npos ? name : path);
    });
  };
}

// Where `inner` is below `outer`; empty if it is elsewhere.
std::string inside(const std::string& inner, const std::string& outer) {
  const auto relative = std::filesystem::path(inner).lexically_relative(outer).string();
  return relative.empty() || relative == "." || relative.starts_with("..") ? std::string() : relative;
}

class Import {
 public:
  Import(store::Store& store, const SourceTreesInput& input, Diagnostics& diagnostics)
      : store_(store), input_(input), diagnostics_(diagnostics) {}

  // Without a tree: it was told what is wrong.
  Status source(const ResolvedSource& resolved, const Element& element, const Source& source,
                PlannedSource& planned) {
    const auto& content = *resolved.facts.content;
    planned.path = (std::filesystem::path(input_.project.root) / content.path).lexically_normal().string();
    // Each is compared with each path.
    constexpr std::size_t kMostExcludes = 1000;
    if (content.exclude.size() > kMostExcludes) {
      diagnostics_.error(
          source.place,
          fmt::format("the {} source of element {}: exclude has {} patterns, more than {}", source.kind.text,
                      weir::in_quotes(element.name), content.exclude.size(), kMostExcludes),
          "name folders instead of files, or use wider patterns");
      return {};
    }
    std::error_code error;
    if (!std::filesystem::exists(planned.path, error)) {
      diagnostics_.error(
          source.place,
          fmt::format("the {} source of element {}: there is no {} in the project", source.kind.text,
                      weir::in_quotes(element.name), weir::in_quotes(content.path)),
          "correct `path`, which is relative to weir.toml, or restore it");
      return {};
    }
    auto imported =
        store_.import(planned.path, exclude_of(content.exclude, inside(input_.cache_directory, planned.path)),
                      &planned.seen);
    if (!imported && imported.error().reason == Reason::project) {
      diagnostics_.error(source.place, imported.error().message, imported.error().remedy);
      return {};
    }
    if (!imported) return tl::unexpected(imported.error());
    planned.tree = imported->tree;
    return {};
  }

  Status element(const ResolvedElement& resolved, const Element& element, PlannedSources& sources) {
    std::vector<store::Layer> layers;
    for (std::size_t i = 0; i < resolved.sources.size(); ++i) {
      sources.push_back({element.sources[i].ref, {}});
      if (!resolved.sources[i].of_project()) continue;
      auto& own = sources.back();
      if (auto imported = source(resolved.sources[i], element, element.sources[i], own); !imported)
        return imported;
      if (!own.tree) continue;
      const auto placed = tree_at(store_, *own.tree, resolved.sources[i].stage.place);
      if (!placed) return tl::unexpected(placed.error());
      layers.push_back({*placed, fmt::format("source {}", i + 1)});
    }
    return check_collisions(layers, element);
  }

 private:
  // Those that are fetched are seen when the element is staged.
  Status check_collisions(const std::vector<store::Layer>& layers, const Element& element) {
    if (layers.size() < 2) return {};
    const auto all = store_.merge(layers);
    if (!all && all.error().reason == Reason::project)
      diagnostics_.error(element.place, fmt::format("the sources of element {}: {}",
                                                    weir::in_quotes(element.name), all.error().message));
    else if (!all) return tl::unexpected(all.error());
    return {};
  }

  store::Store& store_;
  const SourceTreesInput& input_;
  Diagnostics& diagnostics_;
};

}  // namespace

Result<std::vector<PlannedSources>> import_sources(store::Store& store, const SourceTreesInput& input,
                                                   std::span<const ElementId> elements,
                                                   Diagnostics& diagnostics, const std::stop_token& stop) {
  std::vector<PlannedSources> all(elements.size());
  Import import(store, input, diagnostics);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (stop.stop_requested()) return fail(Reason::cancelled, "the import of sources was cancelled");
    const auto in_project = input.graph.elements[index(elements[i])];
    const auto& own = input.resolved[index(in_project)];
    if (auto done = import.element(own, input.project[in_project], all[i]); !done)
      return tl::unexpected(done.error());
  }
  return all;
}

}  // namespace weir
