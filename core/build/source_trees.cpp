#include "core/build/source_trees.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/build/tree_edit.h"

namespace weir {

namespace {

// A pattern without a slash is about names at any depth, as people know it from .gitignore.
store::Exclude exclude_of(const std::vector<std::string>& globs) {
  if (globs.empty()) return {};
  return [globs](std::string_view path) {
    const auto name = path.substr(path.rfind('/') + 1);
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return glob_matches(glob, glob.find('/') == glob.npos ? name : path);
    });
  };
}

class Import {
 public:
  Import(store::Store& store, const Project& project, Diagnostics& diagnostics)
      : store_(store), project_(project), diagnostics_(diagnostics) {}

  // Nothing: it was told what is wrong.
  Result<std::optional<store::Digest>> source(const ResolvedSource& resolved, const Source& source) {
    const auto content = resolved.kind->content(resolved.config);
    const auto path = (std::filesystem::path(project_.root) / content.path).lexically_normal().string();
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      diagnostics_.error(source.place, fmt::format("there is no {} in the project", weir::quoted(content.path)),
                         "local sources are folders or files, relative to weir.toml");
      return std::nullopt;
    }
    auto imported = store_.import(path, exclude_of(content.exclude));
    if (!imported && imported.error().reason == Reason::project) {
      diagnostics_.error(source.place, imported.error().message, imported.error().remedy);
      return std::nullopt;
    }
    if (!imported) return tl::unexpected(imported.error());
    return imported->tree;
  }

  Status element(const ResolvedElement& resolved, const Element& element, std::vector<SourceTrees::Part>& parts,
                 store::Digest& merged) {
    std::vector<store::Layer> layers;
    for (std::size_t i = 0; i < resolved.sources.size(); ++i) {
      const auto tree = source(resolved.sources[i], element.sources[i]);
      if (!tree) return tl::unexpected(tree.error());
      if (!*tree) return {};
      parts.push_back({**tree});
      const auto placed = tree_at(store_, **tree, resolved.sources[i].directory);
      if (!placed) return tl::unexpected(placed.error());
      layers.push_back({*placed, fmt::format("source {}", i + 1)});
    }
    const auto all = store_.merge(layers);
    if (!all && all.error().reason == Reason::project)
      diagnostics_.error(element.place, fmt::format("the sources of element {}: {}", weir::quoted(element.name), all.error().message));
    else if (!all) return tl::unexpected(all.error());
    else merged = *all;
    return {};
  }

 private:
  store::Store& store_;
  const Project& project_;
  Diagnostics& diagnostics_;
};

}  // namespace

Result<SourceTrees> import_sources(store::Store& store, const Project& project, const ProjectGraph& graph,
                                   const std::vector<ResolvedElement>& resolved, Diagnostics& diagnostics) {
  SourceTrees trees;
  trees.parts.resize(graph.graph.size());
  trees.merged.resize(graph.graph.size());
  const auto nothing = empty_tree(store);
  if (!nothing) return tl::unexpected(nothing.error());
  Import import(store, project, diagnostics);
  for (std::size_t i = 0; i < graph.elements.size(); ++i) {
    const auto& own = resolved[index(graph.elements[i])];
    trees.merged[i] = *nothing;
    if (own.sources.empty()) continue;
    if (auto done = import.element(own, project[graph.elements[i]], trees.parts[i], trees.merged[i]); !done)
      return tl::unexpected(done.error());
  }
  return trees;
}

}  // namespace weir
