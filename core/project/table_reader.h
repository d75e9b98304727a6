// Reads one table of a file: each key is asked for by name and type, and finish() tells of keys that nobody
// asked for, with a did-you-mean from those that were. So the list of known keys cannot go out of step with
// what is read. A key with a wrong type or value is one diagnostic and leaves the default in place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/project/diagnostic.h"
#include "core/project/toml_value.h"

namespace weir {

struct PlacedText {
  std::string text;
  Place place;
};
using TextMap = std::vector<std::pair<std::string, std::string>>;  // sorted by key, keys unique

class TableReader {
 public:
  // `where` is for messages: "[project]", `element "app"`. Values are moved out of the table. A value that is
  // no table is one diagnostic, and every key is then absent.
  TableReader(TomlValue& value, std::string where, Diagnostics& diagnostics);

  // Sees every key that any reader asks for: the test that the table of trust_table.h has them all. nullptr
  // outside of that test.
  using Observer = void (*)(const std::string& where, std::string_view key, bool is_present);
  static Observer observer;

  void text(std::string_view key, std::string& out);
  void text(std::string_view key, PlacedText& out);
  void required_text(std::string_view key, PlacedText& out);
  void boolean(std::string_view key, bool& out);
  void count(std::string_view key, std::uint32_t& out, std::uint32_t least = 0,
             std::uint32_t most = 1u << 30);
  void number(std::string_view key, double& out);        // not negative
  void duration(std::string_view key, Duration& out);    // "250ms", "10s", "5m", "2h"
  void bytes(std::string_view key, std::uint64_t& out);  // 4096 or "600M"
  void texts(std::string_view key, std::vector<std::string>& out);
  void texts(std::string_view key, std::vector<PlacedText>& out);
  void text_map(std::string_view key, TextMap& out);
  template <class E>
  void choice(std::string_view key, std::span<const std::pair<std::string_view, E>> choices, E& out) {
    const auto* value = take(key);
    if (value == nullptr) return;
    std::vector<std::string_view> names;
    for (const auto& [name, meaning] : choices) {
      if (value->text() != nullptr && *value->text() == name) {
        out = meaning;
        return;
      }
      names.push_back(name);
    }
    wrong_choice(key, *value, names);
  }

  // The value, marked as known; nullptr if absent. For what has a type of its own.
  TomlValue* take(std::string_view key);
  // A table, array of tables; each a diagnostic when it is something else.
  TomlValue* take_table(std::string_view key);
  TomlValue::Array* take_array(std::string_view key);
  void wrong_type(std::string_view key, const TomlValue& value, std::string_view expected);
  void wrong_choice(std::string_view key, const TomlValue& value, std::span<const std::string_view> names);
  // Makes `key` known although it is not read here.
  void known(std::string_view key) { take(key); }

  void finish();
  Place place() const { return value_.place; }
  Diagnostics& diagnostics() { return diagnostics_; }
  const std::string& where() const { return where_; }

 private:
  bool as_text(std::string_view key, TomlValue& value, std::string& out);

  TomlValue& value_;
  std::string where_;
  Diagnostics& diagnostics_;
  std::vector<std::string_view> known_;
};

}  // namespace weir
