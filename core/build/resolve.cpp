#include "core/build/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/build/complaints.h"
#include "core/build/source_url.h"
#include "core/project/lock_file.h"

namespace weir {

namespace {

// The loader has taken url and track out of the table; kinds that know them have to see them, others to
// complain.
TomlValue with_url_and_track(const Source& source) {
  auto config = source.config;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) config.table()->push_back({key, source.place, {value, source.place}});
  };
  add("track", source.track);
  add("url", source.url);
  std::sort(config.table()->begin(), config.table()->end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return config;
}

bool leads_out(std::string_view path) {
  const std::filesystem::path whole(path);
  return whole.is_absolute() || std::find(whole.begin(), whole.end(), "..") != whole.end();
}

void wrong_ref(const Source& source, const Element& element, bool of_project, const std::string& message,
               LoadedProject& loaded) {
  auto track = fmt::format("run `weir track {}`", element.name);
  if (!source.ref_from_lock)
    return loaded.diagnostics.error(source.place, message,
                                    of_project ? "remove `ref`" : "correct `ref`, or remove it and " + track);
  const auto place = place_in_lock(loaded.files, lock_key(element, source));
  if (loaded.lock_errors == LockErrors::errors) loaded.diagnostics.error(place, message, std::move(track));
  else loaded.diagnostics.warning(place, message, "the entry is written again when the source is tracked");
}

// Loads it once, and complains once for each element that uses it. A bug of the plugin is no mistake in the
// project: that is told when the kind is used.
template <class Find>
void load_kind(const PlacedText& kind, Diagnostics& diagnostics, const Find& find) {
  if (kind.text.empty()) return;
  const auto found = find(kind.text);
  if (!found && found.error().reason != Reason::bug)
    diagnostics.error(kind.place, found.error().message, found.error().remedy);
}

class Resolver {
 public:
  Resolver(LoadedProject& loaded, Kinds& kinds)
      : loaded_(loaded), kinds_(kinds), diagnostics_(loaded.diagnostics) {}

  Result<ResolvedElement> element(const Element& element) {
    ResolvedElement all;
    const auto kind = kinds_.element(element.kind.text);
    if (!kind) return tl::unexpected(kind.error());
    all.kind = *kind;
    const auto own = json_of(element.config);
    if (is_too_long(own, element.place, fmt::format("config of element {}", weir::in_quotes(element.name))))
      return all;
    auto resolved = all.kind->resolve(own);
    if (!resolved) return tl::unexpected(resolved.error());
    all.later = std::move(resolved->later);
    all.config =
        take_resolved(std::move(*resolved), element.config, element.place,
                      fmt::format("config of element {}", weir::in_quotes(element.name)), diagnostics_);
    for (const auto& source : element.sources) {
      auto one = this->source(element, source, all.sources.size());
      if (!one) return tl::unexpected(one.error());
      all.sources.push_back(std::move(*one));
    }
    return all;
  }

 private:
  // What a plugin makes of a configuration is a multiple of it, and has a limit too.
  bool is_too_long(const std::string& config, Place place, const std::string& whose) {
    constexpr std::size_t kLongestConfig = 2u << 20;
    if (config.size() <= kLongestConfig) return false;
    diagnostics_.error(place, fmt::format("{} has more than {} MiB", whose, kLongestConfig >> 20),
                       "move what it holds into files of a source");
    return true;
  }

  Result<ResolvedSource> source(const Element& element, const Source& source, std::size_t position) {
    const auto kind = kinds_.source(source.kind.text);
    if (!kind) return tl::unexpected(kind.error());
    const auto whose =
        fmt::format("{} source of element {}", source.kind.text, weir::in_quotes(element.name));
    const auto complaints = diagnostics_.errors();
    const auto config = with_url_and_track(source);
    const auto own = json_of(config);
    if (is_too_long(own, source.place, whose)) return ResolvedSource{*kind, {}, {}, {}, {}, {}};
    auto resolved = (*kind)->resolve(own);
    if (!resolved) return tl::unexpected(resolved.error());
    ResolvedSource all{*kind,
                       take_resolved(std::move(*resolved), config, source.place, whose, diagnostics_),
                       source.directory,
                       absolute_url(source.url, loaded_.project.root),
                       {},
                       {}};
    if (leads_out(source.directory))
      diagnostics_.error(source.place, fmt::format("{}: the directory {} leads out of the build directory",
                                                   whose, weir::in_quotes(source.directory)));
    if (diagnostics_.errors() != complaints) return all;
    if (auto described = describe(all, position); !described) return tl::unexpected(described.error());
    if (source.ref.empty()) return all;
    const auto wrong = all.kind->wrong_ref(source.ref);
    if (!wrong) return tl::unexpected(wrong.error());
    if (!wrong->empty())
      wrong_ref(source, element, all.of_project(), fmt::format("{}: {}", whose, *wrong), loaded_);
    return all;
  }

  static Status describe(ResolvedSource& source, std::size_t position) {
    auto facts = source.kind->describe(source.config);
    if (!facts) return tl::unexpected(facts.error());
    source.facts = std::move(*facts);
    auto stage = source.kind->plan_stage(source.config, source.directory, source_name(position));
    if (!stage) return tl::unexpected(stage.error());
    source.stage = std::move(*stage);
    return {};
  }

  LoadedProject& loaded_;
  Kinds& kinds_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::string source_name(std::size_t position) { return std::to_string(position); }

void load_kinds(const Project& project, Kinds& kinds, Diagnostics& diagnostics) {
  for (const auto& element : project.elements) {
    load_kind(element.kind, diagnostics, [&](const std::string& name) { return kinds.element(name); });
    for (const auto& source : element.sources)
      load_kind(source.kind, diagnostics, [&](const std::string& name) { return kinds.source(name); });
  }
}

Result<std::vector<ResolvedElement>> resolve_elements(LoadedProject& loaded, Kinds& kinds) {
  std::vector<ResolvedElement> all;
  all.reserve(loaded.project.elements.size());
  Resolver resolver(loaded, kinds);
  for (const auto& element : loaded.project.elements) {
    auto one = resolver.element(element);
    if (!one) return tl::unexpected(one.error());
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace weir
