#include "core/project/toml_parse.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <sstream>

#include "core/base/printable.h"

namespace weir {

namespace {

// Values within values that are accepted; configuration of people has five levels.
constexpr unsigned kDeepest = 100;
// Dots outside of strings in one statement. A key of a hundred thousand parts makes as many nested tables,
// and toml++ limits the nesting of values, not of keys: its destructors would overflow the stack.
constexpr unsigned kMostDots = 500;

// Finds a statement with too many dots. Knows strings and comments exactly as far as a valid document needs
// it; in an invalid one toml++ stops before the two can disagree.
class DotGuard {
 public:
  explicit DotGuard(std::string_view text) : text_(text) {}

  // The line of the first offender, or 0.
  std::uint32_t check() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '\n') new_line();
      if (c == '.' && ++dots_ > kMostDots) return line_;
      if (c == '[' || c == '{') ++open_;
      if ((c == ']' || c == '}') && open_ > 0) --open_;
      ++at_;
    }
    return 0;
  }

 private:
  void new_line() {
    ++line_;
    if (open_ == 0) dots_ = 0;
  }
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multi_line = text_.substr(at_, 3) == triple;
    at_ += multi_line ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        if (!multi_line) return;
      }
      if (c == '\\' && quote == '"') {
        if (++at_ < text_.size() && text_[at_] == '\n') ++line_;
      } else if (c == quote && !multi_line) {
        ++at_;
        return;
      } else if (c == quote && text_.substr(at_, 3) == triple) {
        at_ += 3;
        // Up to two more quotes belong to the string.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  unsigned dots_ = 0;
  unsigned open_ = 0;
};

class Converter {
 public:
  Converter(FileId file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  TomlValue table(toml::table& from, Place fallback, unsigned depth) {
    TomlValue value{TomlValue::Table{}, place(from.source(), fallback)};
    if (too_deep(value.place, depth)) return value;
    auto& members = *value.table();
    members.reserve(from.size());
    for (auto&& [key, node] : from) {
      const auto key_place = place(key.source(), value.place);
      members.push_back(
          {without_nul(std::string(key.str()), key_place), key_place, convert(node, key_place, depth + 1)});
    }
    return value;
  }

 private:
  TomlValue convert(toml::node& node, Place fallback, unsigned depth) {
    if (auto* inner = node.as_table()) return table(*inner, fallback, depth);
    const auto at = place(node.source(), fallback);
    if (auto* inner = node.as_array()) return array(*inner, at, depth);
    if (auto* text = node.as_string()) return {without_nul(std::move(text->get()), at), at};
    if (auto* integer = node.as_integer()) return {integer->get(), at};
    if (auto* boolean = node.as_boolean()) return {boolean->get(), at};
    if (auto* number = node.as_floating_point()) return real(number->get(), at);
    return date(node, at);
  }

  // Everything ends up in an argument, a variable or a path of some process, which end at a NUL.
  std::string without_nul(std::string text, Place at) {
    const auto first = text.find('\0');
    if (first == std::string::npos) return text;
    diagnostics_.error(at, "a NUL character cannot be used here", "remove the \\u0000");
    text.resize(first);
    return text;
  }

  TomlValue array(toml::array& from, Place at, unsigned depth) {
    TomlValue value{TomlValue::Array{}, at};
    if (too_deep(at, depth)) return value;
    auto& items = *value.array();
    items.reserve(from.size());
    for (auto& node : from) items.push_back(convert(node, at, depth + 1));
    return value;
  }

  TomlValue real(double number, Place at) {
    if (!std::isfinite(number)) {
      diagnostics_.error(at, "nan and inf cannot be used here", "write a finite number");
      number = 0;
    }
    return {number, at};
  }

  static TomlValue date(const toml::node& node, Place at) {
    std::ostringstream out;
    node.visit([&](const auto& typed) {
      if constexpr (toml::is_chronological<decltype(typed)>) out << typed.get();
    });
    return {TomlDate{out.str()}, at};
  }

  bool too_deep(Place at, unsigned depth) {
    if (depth <= kDeepest) return false;
    diagnostics_.error(at, fmt::format("more than {} levels of tables and arrays", kDeepest));
    return true;
  }

  // Tables that no line of the file opens ("a" in "[a.b]") have no source of their own.
  Place place(const toml::source_region& region, Place fallback) const {
    return region.begin ? Place{file_, region.begin.line, region.begin.column} : fallback;
  }

  FileId file_;
  Diagnostics& diagnostics_;
};

Place place_of(const toml::source_region& region, FileId file) {
  const auto& begin = region.begin;
  return begin ? Place{file, begin.line, begin.column} : Place{file, 1, 1};
}

}  // namespace

std::optional<TomlValue> parse_toml(std::string_view text, FileId file, Diagnostics& diagnostics) {
  if (text.size() > kLongestTomlFile) {
    diagnostics.error({file, 0, 0}, fmt::format("longer than {} MiB", kLongestTomlFile >> 20));
    return std::nullopt;
  }
  if (const auto line = DotGuard(text).check()) {
    diagnostics.error({file, line, 1}, fmt::format("more than {} dots in one statement", kMostDots));
    return std::nullopt;
  }
  try {
    auto document = toml::parse(text);
    return Converter(file, diagnostics).table(document, Place{file, 1, 1}, 0);
  } catch (const toml::parse_error& error) {
    auto message = error.description();
    if (message.starts_with("Error ")) message.remove_prefix(6);  // the line says so already
    diagnostics.error(place_of(error.source(), file), printable(message));
  } catch (const std::exception& error) {
    // Out of memory, or a length that a container refuses.
    diagnostics.error({file, 0, 0}, "cannot be parsed: " + printable(error.what()));
  }
  return std::nullopt;
}

}  // namespace weir
