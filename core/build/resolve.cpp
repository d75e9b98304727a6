#include "core/build/resolve.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/assert.h"

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

ResolvedElement resolve(const Element& element, const Kinds& kinds, Diagnostics& diagnostics) {
  ResolvedElement all;
  all.kind = kinds.element(element.kind.text);
  WEIR_ASSERT(all.kind, "the kind {} is gone", element.kind.text);
  all.config = take(all.kind->resolve(json_of(element.config)), element.config, element.place,
                    fmt::format("config of element {}", quoted(element.name)), diagnostics);
  for (const auto& source : element.sources) {
    const auto* kind = kinds.source(source.kind.text);
    WEIR_ASSERT(kind, "the source kind {} is gone", source.kind.text);
    const auto whose = fmt::format("{} source of element {}", source.kind.text, quoted(element.name));
    auto config = take(kind->resolve(json_of(source.config)), source.config, source.place, whose, diagnostics);
    all.sources.push_back({kind, std::move(config), source.directory});
  }
  return all;
}

}  // namespace

std::vector<ResolvedElement> resolve_elements(const Project& project, const Kinds& kinds, Diagnostics& diagnostics) {
  std::vector<ResolvedElement> all;
  all.reserve(project.elements.size());
  for (const auto& element : project.elements) all.push_back(resolve(element, kinds, diagnostics));
  return all;
}

}  // namespace weir
