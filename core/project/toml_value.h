// A TOML document as the rest of the loader sees it: a small tree in which every value and every key knows
// its place. Tables are sorted by key, dates are text, numbers are finite: write_json gives canonical bytes,
// whatever the order and the spelling in the file were. toml++ itself is seen by toml_parse.cpp alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/project/place.h"

namespace weir {

class JsonWriter;
struct TomlMember;

struct TomlDate {
  std::string text;  // as in RFC 3339
};

struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlMember>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, TomlDate, Array, Table> data;
  Place place;

  bool empty() const { return std::holds_alternative<std::monostate>(data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  const bool* boolean() const { return std::get_if<bool>(&data); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data); }
  const double* number() const { return std::get_if<double>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  const Table* table() const { return std::get_if<Table>(&data); }
  Array* array() { return std::get_if<Array>(&data); }
  Table* table() { return std::get_if<Table>(&data); }
  // A member of a table; nullptr if this is no table or has no such key.
  const TomlMember* find(std::string_view key) const;
  TomlMember* find(std::string_view key);

  std::string_view type_name() const;  // with its article: "a string", "an array"
};

struct TomlMember {
  std::string key;
  Place key_place;
  TomlValue value;
};

// An empty value is written as null.
void write_json(JsonWriter& json, const TomlValue& value);
std::string to_json(const TomlValue& value);

}  // namespace weir
