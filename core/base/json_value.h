// A JSON document as it was written: numbers keep their text, since some of them are exact decimals; members
// keep their order. Written by JsonWriter where no tree is needed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_writer.h"
#include "core/base/result.h"

namespace weir {

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, text, array, object };
  Kind kind = Kind::null;
  bool truth = false;
  std::string text;                // of a text, or of a number
  std::vector<JsonValue> items;    // of an array, or the values of an object
  std::vector<std::string> names;  // of an object

  // Of an object; nothing if there is none of that name, or this is no object.
  const JsonValue* member(std::string_view name) const;
  void write(JsonWriter& out) const;
};

// Deeper than any input of weir.
inline constexpr std::size_t kDeepestJson = 32;

// What is no JSON, is nested too deep or names a member twice is an error that says where
// ("$.classes[1].load").
Result<JsonValue> parse_json(std::string_view document);

// In one line, without blanks.
std::string to_json(const JsonValue& value);

// "$.classes" and "load" -> "$.classes.load".
std::string json_path(std::string_view parent, std::string_view member);
std::string json_path(std::string_view parent, std::size_t item);

}  // namespace weir
