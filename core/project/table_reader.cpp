#include "core/project/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace weir {

TableReader::TableReader(TomlValue& value, std::string where, Diagnostics& diagnostics)
    : value_(value), where_(std::move(where)), diagnostics_(diagnostics) {
  if (!value_.empty() && value_.table() == nullptr)
    diagnostics_.error(value_.place, fmt::format("{} must be a table, not {}", where_, value_.type_name()));
}

TableReader::Observer TableReader::observer = nullptr;

TomlValue* TableReader::take(std::string_view key) {
  known_.push_back(key);
  auto* member = value_.find(key);
  if (observer != nullptr) observer(where_, key, member != nullptr);
  return member == nullptr ? nullptr : &member->value;
}

TomlValue* TableReader::take_table(std::string_view key) {
  auto* value = take(key);
  if (value == nullptr || value->table() != nullptr) return value;
  wrong_type(key, *value, "a table");
  return nullptr;
}

TomlValue::Array* TableReader::take_array(std::string_view key) {
  auto* value = take(key);
  if (value == nullptr) return nullptr;
  if (value->array() == nullptr) wrong_type(key, *value, "an array");
  return value->array();
}

void TableReader::wrong_type(std::string_view key, const TomlValue& value, std::string_view expected) {
  diagnostics_.error(value.place,
                     fmt::format("{} of {} must be {}, not {}", key, where_, expected, value.type_name()));
}

void TableReader::wrong_choice(std::string_view key, const TomlValue& value,
                               std::span<const std::string_view> names) {
  if (value.text() == nullptr) return wrong_type(key, value, "a string");
  std::string list;
  for (const auto name : names) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
  auto hint = suggestion(*value.text(), names);
  diagnostics_.error(
      value.place,
      fmt::format("{} of {} cannot be {}; it is one of {}", key, where_, in_quotes(*value.text()), list),
      std::move(hint));
}

bool TableReader::as_text(std::string_view key, TomlValue& value, std::string& out) {
  auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) {
    wrong_type(key, value, "a string");
    return false;
  }
  out = std::move(*text);
  return true;
}

void TableReader::text(std::string_view key, std::string& out) {
  if (auto* value = take(key)) as_text(key, *value, out);
}

void TableReader::text(std::string_view key, PlacedText& out) {
  auto* value = take(key);
  if (value != nullptr && as_text(key, *value, out.text)) out.place = value->place;
}

void TableReader::required_text(std::string_view key, PlacedText& out) {
  auto* value = take(key);
  if (value == nullptr) {
    if (value_.table() != nullptr) diagnostics_.error(value_.place, fmt::format("{} has no {}", where_, key));
    return;
  }
  out.place = value->place;
  if (as_text(key, *value, out.text) && out.text.empty())
    diagnostics_.error(value->place, fmt::format("{} of {} is empty", key, where_));
}

void TableReader::boolean(std::string_view key, bool& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  if (value->boolean() == nullptr) return wrong_type(key, *value, "true or false");
  out = *value->boolean();
}

void TableReader::count(std::string_view key, std::uint32_t& out, std::uint32_t least, std::uint32_t most) {
  const auto* value = take(key);
  if (value == nullptr) return;
  const auto* integer = value->integer();
  if (integer == nullptr) return wrong_type(key, *value, "an integer");
  if (*integer < least || *integer > most) {
    diagnostics_.error(value->place, fmt::format("{} of {} is {}; it goes from {} to {}", key, where_,
                                                 *integer, least, most));
    return;
  }
  out = static_cast<std::uint32_t>(*integer);
}

void TableReader::number(std::string_view key, double& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  if (value->integer() == nullptr && value->number() == nullptr) return wrong_type(key, *value, "a number");
  const double given = value->integer() ? static_cast<double>(*value->integer()) : *value->number();
  if (given < 0) {
    diagnostics_.error(value->place, fmt::format("{} of {} is negative", key, where_));
    return;
  }
  out = given;
}

void TableReader::duration(std::string_view key, Duration& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  if (value->text() == nullptr) return wrong_type(key, *value, "a duration such as \"10s\"");
  const auto parsed = parse_duration(*value->text());
  if (!parsed) {
    diagnostics_.error(value->place,
                       fmt::format("{} of {} is no duration: {}", key, where_, in_quotes(*value->text())),
                       "a number and ms, s, m, h or d: \"250ms\", \"10m\"");
    return;
  }
  out = *parsed;
}

void TableReader::bytes(std::string_view key, std::uint64_t& out) {
  const auto* value = take(key);
  if (value == nullptr) return;
  std::optional<std::uint64_t> parsed;
  if (value->integer() != nullptr && *value->integer() >= 0)
    parsed = static_cast<std::uint64_t>(*value->integer());
  if (value->text() != nullptr) parsed = parse_bytes(*value->text());
  if (!parsed) {
    diagnostics_.error(value->place, fmt::format("{} of {} is no size", key, where_),
                       "a number of bytes, or with K, M, G or T: \"600M\"");
    return;
  }
  out = *parsed;
}

void TableReader::texts(std::string_view key, std::vector<PlacedText>& out) {
  auto* items = take_array(key);
  if (items == nullptr) return;
  out.reserve(items->size());
  for (auto& item : *items) {
    std::string text;
    if (as_text(key, item, text)) out.push_back({std::move(text), item.place});
  }
}

void TableReader::texts(std::string_view key, std::vector<std::string>& out) {
  std::vector<PlacedText> placed;
  const bool given = value_.find(key) != nullptr;
  texts(key, placed);
  if (!given) return;
  out.clear();
  for (auto& item : placed) out.push_back(std::move(item.text));
}

void TableReader::text_map(std::string_view key, TextMap& out) {
  auto* value = take_table(key);
  if (value == nullptr) return;
  for (auto& member : *value->table()) {
    std::string text;
    if (as_text(member.key, member.value, text)) out.emplace_back(member.key, std::move(text));
  }
}

void TableReader::finish() {
  const auto* members = value_.table();
  if (members == nullptr) return;
  for (const auto& member : *members) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    diagnostics_.error(member.key_place, fmt::format("unknown key {} in {}", in_quotes(member.key), where_),
                       suggestion(member.key, known_));
  }
}

}  // namespace weir
