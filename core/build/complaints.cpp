#include "core/build/complaints.h"

#include <fmt/format.h>

#include <charconv>

namespace weir {

namespace {

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

}  // namespace

std::string json_of(const TomlValue& config) { return config.empty() ? "{}" : to_json(config); }

std::string take_resolved(ResolvedConfig resolved, const TomlValue& config, Place fallback,
                          const std::string& whose, Diagnostics& diagnostics) {
  for (auto& complaint : resolved.complaints)
    diagnostics.error(place_of(config, complaint.path, fallback),
                      fmt::format("{}: {}", whose, complaint.message), std::move(complaint.remedy));
  return std::move(resolved.document);
}

}  // namespace weir
