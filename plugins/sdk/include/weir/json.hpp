// JSON for plugins, small and without dependencies: documents come as text and go as canonical text (keys
// sorted, no spaces).
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weir::sdk {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;
  Json(bool value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(std::int64_t value) : value_(value) {}
  Json(std::uint32_t value) : value_(std::int64_t{value}) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  Json(const std::vector<std::string>& texts) : value_(Array(texts.begin(), texts.end())) {}

  // Nothing if it is no JSON, or is nested deeper than anybody would write.
  static std::optional<Json> parse(std::string_view text);
  std::string dump() const;

  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  Object* object() { return std::get_if<Object>(&value_); }

  // A member of an object; nullptr if there is none.
  const Json* find(std::string_view key) const {
    const auto* all = object();
    if (!all) return nullptr;
    const auto at = all->find(key);
    return at == all->end() ? nullptr : &at->second;
  }
  // Of a document that was checked before: whatever is not there, or is something else, is empty.
  std::string text(std::string_view key) const {
    const auto* value = find(key);
    return value && value->text() ? *value->text() : std::string();
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    const auto* value = find(key);
    if (value && value->array())
      for (const auto& one : *value->array())
        if (one.text()) all.push_back(*one.text());
    return all;
  }
  bool boolean(std::string_view key) const {
    const auto* value = find(key);
    return value && value->boolean() && *value->boolean();
  }
  std::int64_t integer(std::string_view key) const {
    const auto* value = find(key);
    return value && value->integer() ? *value->integer() : 0;
  }
  // An object with some of the members of this one.
  Json part(std::initializer_list<std::string_view> keys) const {
    Object chosen;
    for (const auto key : keys)
      if (const auto* value = find(key)) chosen.emplace(key, *value);
    return chosen;
  }

 private:
  friend class JsonParser;
  void append_to(std::string& out) const;

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object> value_ = nullptr;
};

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : rest_(text) {}

  std::optional<Json> document() {
    Json json;
    if (!value(json, 0)) return std::nullopt;
    skip_spaces();
    return rest_.empty() ? std::optional(std::move(json)) : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 200;

  void skip_spaces() {
    const auto at = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at);
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool value(Json& out, int depth) {
    skip_spaces();
    if (rest_.empty() || depth > kDeepest) return false;
    switch (rest_.front()) {
      case '{': return object(out, depth);
      case '[': return array(out, depth);
      case '"': return string(out.value_.emplace<std::string>());
      case 't': out = Json(true); return take("true");
      case 'f': out = Json(false); return take("false");
      case 'n': out = Json(); return take("null");
      default: return number(out);
    }
  }

  bool object(Json& out, int depth) {
    auto& all = out.value_.emplace<Json::Object>();
    rest_.remove_prefix(1);
    skip_spaces();
    if (take("}")) return true;
    do {
      std::string key;
      skip_spaces();
      if (!string(key)) return false;
      skip_spaces();
      if (!take(":") || !value(all[std::move(key)], depth + 1)) return false;
      skip_spaces();
    } while (take(","));
    return take("}");
  }

  bool array(Json& out, int depth) {
    auto& all = out.value_.emplace<Json::Array>();
    rest_.remove_prefix(1);
    skip_spaces();
    if (take("]")) return true;
    do {
      if (!value(all.emplace_back(), depth + 1)) return false;
      skip_spaces();
    } while (take(","));
    return take("]");
  }

  // How long the number at the start is, by the rules of JSON; 0 if there is none.
  std::size_t number_size() const {
    std::size_t at = rest_.starts_with('-') ? 1 : 0;
    const auto digits = [&] {
      const auto first = at;
      while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9') ++at;
      return at - first;
    };
    const bool zero = rest_.substr(at).starts_with('0');
    const auto whole = digits();
    if (whole == 0 || (zero && whole > 1)) return 0;
    if (rest_.substr(at).starts_with('.') && (++at, digits() == 0)) return 0;
    if (at < rest_.size() && (rest_[at] == 'e' || rest_[at] == 'E')) {
      ++at;
      if (at < rest_.size() && (rest_[at] == '+' || rest_[at] == '-')) ++at;
      if (digits() == 0) return 0;
    }
    return at;
  }

  bool number(Json& out) {
    const auto size = number_size();
    const auto* first = rest_.data();
    const auto* last = first + size;
    std::int64_t whole = 0;
    double broken = 0;
    if (const auto read = std::from_chars(first, last, whole);
        size > 0 && read.ec == std::errc() && read.ptr == last) {
      out.value_ = whole;
    } else if (const auto other = std::from_chars(first, last, broken);
               size > 0 && other.ec == std::errc() && other.ptr == last) {
      out.value_ = broken;
    } else {
      return false;
    }
    rest_.remove_prefix(size);
    return true;
  }

  bool string(std::string& out) {
    if (!take("\"")) return false;
    while (!rest_.empty()) {
      const auto is_special = [](char c) {
        return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
      };
      const auto plain =
          static_cast<std::size_t>(std::find_if(rest_.begin(), rest_.end(), is_special) - rest_.begin());
      out.append(rest_.substr(0, plain));
      rest_.remove_prefix(plain);
      if (take("\"")) return true;
      if (!take("\\") || !escape(out)) return false;
    }
    return false;
  }

  bool escape(std::string& out) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view kCodes = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (const auto at = kCodes.find(c); at != kCodes.npos) return out.push_back(kMeant[at]), true;
    std::uint32_t first = 0, second = 0;
    if (c != 'u' || !hex(first)) return false;
    const bool is_pair = first >= 0xD800 && first < 0xDC00;
    if (!is_pair) return append_utf8(out, first), first < 0xD800 || first > 0xDFFF;
    if (!take("\\u") || !hex(second) || second < 0xDC00 || second > 0xDFFF) return false;
    append_utf8(out, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
    return true;
  }

  bool hex(std::uint32_t& out) {
    if (rest_.size() < 4) return false;
    const auto read = std::from_chars(rest_.data(), rest_.data() + 4, out, 16);
    if (read.ec != std::errc() || read.ptr != rest_.data() + 4) return false;
    rest_.remove_prefix(4);
    return true;
  }

  static void append_utf8(std::string& out, std::uint32_t c) {
    const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3F))); };
    if (c < 0x80) return out.push_back(static_cast<char>(c));
    if (c < 0x800) {
      out.push_back(static_cast<char>(0xC0 | (c >> 6)));
      return tail(0);
    }
    if (c < 0x10000) {
      out.push_back(static_cast<char>(0xE0 | (c >> 12)));
    } else {
      out.push_back(static_cast<char>(0xF0 | (c >> 18)));
      tail(12);
    }
    tail(6);
    tail(0);
  }

  std::string_view rest_;
};

inline std::optional<Json> Json::parse(std::string_view text) { return JsonParser(text).document(); }

inline void append_json(std::string& out, std::string_view text) {
  constexpr std::string_view kMeant = "\"\\\b\f\n\r\t", kCodes = "\"\\bfnrt", kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    if (const auto at = kMeant.find(c); at != kMeant.npos) {
      out.append({'\\', kCodes[at]});
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out.append("\\u00").append({kHex[static_cast<unsigned char>(c) >> 4], kHex[c & 15]});
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

inline void Json::append_to(std::string& out) const {
  struct Visitor {
    std::string& out;
    void operator()(std::nullptr_t) { out += "null"; }
    void operator()(bool value) { out += value ? "true" : "false"; }
    void operator()(std::int64_t value) { out += std::to_string(value); }
    void operator()(double value) {
      if (!std::isfinite(value)) return void(out += "null");
      char digits[40];
      const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
      out.append(digits, end);
      if (std::string_view(digits, static_cast<std::size_t>(end - digits)).find_first_of(".e") ==
          std::string_view::npos)
        out += ".0";
    }
    void operator()(const std::string& value) { append_json(out, value); }
    void operator()(const Array& all) {
      const char* before = "[";
      for (const auto& one : all) {
        out += std::exchange(before, ",");
        one.append_to(out);
      }
      out += all.empty() ? "[]" : "]";
    }
    void operator()(const Object& all) {
      const char* before = "{";
      for (const auto& [key, value] : all) {
        out += std::exchange(before, ",");
        append_json(out, key);
        out += ':';
        value.append_to(out);
      }
      out += all.empty() ? "{}" : "}";
    }
  };
  std::visit(Visitor{out}, value_);
}

inline std::string Json::dump() const {
  std::string out;
  append_to(out);
  return out;
}

}  // namespace weir::sdk
