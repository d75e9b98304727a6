// A JSON document as it was written: numbers keep their text, since loads are exact decimals; members keep
// their order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace weir {

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, text, array, object };
  Kind kind = Kind::null;
  bool truth = false;
  std::string text;                // of a text, or of a number
  std::vector<JsonValue> items;    // of an array, or the values of an object
  std::vector<std::string> names;  // of an object
};

// Deeper than any input of the simulator and any settings of placement.
inline constexpr std::size_t kDeepestJson = 32;

// What is no JSON, is nested too deep or names a member twice is an error that says where
// ("$.classes[1].load").
Result<JsonValue> parse_json(std::string_view document);

// "$.classes" and "load" -> "$.classes.load".
std::string json_path(std::string_view parent, std::string_view member);
std::string json_path(std::string_view parent, std::size_t item);

}  // namespace weir
