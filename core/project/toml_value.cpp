#include "core/project/toml_value.h"

#include <algorithm>
#include <utility>

#include "core/base/json_writer.h"

namespace weir {

const TomlMember* TomlValue::find(std::string_view key) const {
  const auto* members = table();
  if (members == nullptr) return nullptr;
  const auto at =
      std::lower_bound(members->begin(), members->end(), key,
                       [](const TomlMember& member, std::string_view k) { return member.key < k; });
  return at != members->end() && at->key == key ? &*at : nullptr;
}

TomlMember* TomlValue::find(std::string_view key) {
  return const_cast<TomlMember*>(std::as_const(*this).find(key));
}

std::string_view TomlValue::type_name() const {
  constexpr std::string_view kNames[] = {"nothing",  "a boolean", "an integer", "a number",
                                         "a string", "a date",    "an array",   "a table"};
  return kNames[data.index()];
}

// Recursive: toml_parse bounds the depth.
void write_json(JsonWriter& json, const TomlValue& value) {
  if (const auto* table = value.table()) {
    json.begin_object();
    for (const auto& member : *table) {
      json.key(member.key);
      write_json(json, member.value);
    }
    json.end_object();
  } else if (const auto* array = value.array()) {
    json.begin_array();
    for (const auto& item : *array) write_json(json, item);
    json.end_array();
  } else if (const auto* text = value.text()) {
    json.value(*text);
  } else if (const auto* date = std::get_if<TomlDate>(&value.data)) {
    json.value(date->text);
  } else if (const auto* integer = value.integer()) {
    json.value(*integer);
  } else if (const auto* number = value.number()) {
    json.value(*number);
  } else if (const auto* boolean = value.boolean()) {
    json.value(*boolean);
  } else {
    json.null();
  }
}

std::string to_json(const TomlValue& value) {
  std::string text;
  JsonWriter json(text);
  write_json(json, value);
  return text;
}

}  // namespace weir
