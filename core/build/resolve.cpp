#include "core/build/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/base/assert.h"
#include "core/build/source_url.h"

namespace weir {

namespace {

std::string json_of(const TomlValue& config) { return config.empty() ? "{}" : to_json(config); }

// The place of "commands/2" in a table; of what is not there, the table's own.
Place place_of(const TomlValue& config, std::string_view path, Place fallback) {
  const auto slash = path.find('/');
  const auto* member = config.find(path.substr(0, slash));
  if (!member) return config.place.line ? config.place : fallback;
  if (slash == path.npos) return member->key_place;
  std::size_t position = 0;
  std::from_chars(path.data() + slash + 1, path.data() + path.size(), position);
  const auto* array = member->value.array();
  return array && position < array->size() ? (*array)[position].place : member->key_place;
}

std::string take(ResolvedConfig resolved, const TomlValue& config, Place fallback, const std::string& whose,
                 Diagnostics& diagnostics) {
  for (auto& complaint : resolved.complaints)
    diagnostics.error(place_of(config, complaint.path, fallback), fmt::format("{}: {}", whose, complaint.message),
                      std::move(complaint.remedy));
  return std::move(resolved.document);
}

// The loader has taken url and track out of the table; kinds that know them have to see them, others to complain.
TomlValue with_url_and_track(const Source& source) {
  auto config = source.config;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) config.table()->push_back({key, source.place, {value, source.place}});
  };
  add("track", source.track);
  add("url", source.url);
  std::sort(config.table()->begin(), config.table()->end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return config;
}

bool leads_out(std::string_view path) {
  const std::filesystem::path whole(path);
  return whole.is_absolute() || std::find(whole.begin(), whole.end(), "..") != whole.end();
}

void wrong_ref(const Source& source, const Element& element, bool of_project, const std::string& message, Diagnostics& diagnostics) {
  const auto track = fmt::format("run `weir track {}`", element.name);
  const auto remedy = of_project               ? "take the ref away"
                      : source.ref_from_lock   ? "take its entry out of weir.lock and " + track
                                               : "correct `ref`, or take it away and " + track;
  diagnostics.error(source.place, source.ref_from_lock ? message + " (in weir.lock)" : message, remedy);
}

ResolvedSource resolve_source(const Project& project, const Element& element, const Source& source, const SourceKind& kind,
                              Diagnostics& diagnostics) {
  const auto whose = fmt::format("{} source of element {}", source.kind.text, weir::quoted(element.name));
  const auto complaints = diagnostics.errors();
  const auto config = with_url_and_track(source);
  ResolvedSource all{&kind, take(kind.resolve(json_of(config)), config, source.place, whose, diagnostics), source.directory,
                     absolute_url(source.url, project.root)};
  if (leads_out(source.directory))
    diagnostics.error(source.place, fmt::format("{}: the directory {} leads out of the build directory", whose, weir::quoted(source.directory)));
  if (diagnostics.errors() != complaints) return all;
  all.of_project = kind.content(all.config).has_value();
  const auto wrong = source.ref.empty() ? std::string() : kind.wrong_ref(source.ref);
  if (!wrong.empty()) wrong_ref(source, element, all.of_project, fmt::format("{}: {}", whose, wrong), diagnostics);
  return all;
}

ResolvedElement resolve(const Project& project, const Element& element, const Kinds& kinds, Diagnostics& diagnostics) {
  ResolvedElement all;
  all.kind = kinds.element(element.kind.text);
  WEIR_ASSERT(all.kind, "the kind {} is gone", element.kind.text);
  all.config = take(all.kind->resolve(json_of(element.config)), element.config, element.place,
                    fmt::format("config of element {}", weir::quoted(element.name)), diagnostics);
  for (const auto& source : element.sources) {
    const auto* kind = kinds.source(source.kind.text);
    WEIR_ASSERT(kind, "the source kind {} is gone", source.kind.text);
    all.sources.push_back(resolve_source(project, element, source, *kind, diagnostics));
  }
  return all;
}

}  // namespace

std::vector<ResolvedElement> resolve_elements(const Project& project, const Kinds& kinds, Diagnostics& diagnostics) {
  std::vector<ResolvedElement> all;
  all.reserve(project.elements.size());
  for (const auto& element : project.elements) all.push_back(resolve(project, element, kinds, diagnostics));
  return all;
}

}  // namespace weir
