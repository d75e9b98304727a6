// Code of weir/json.hpp, which includes it or is included before it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>

namespace weir::sdk {

WEIR_SDK_CODE Json::Json(const char* value) : type_(Type::text), text_(value) {}
WEIR_SDK_CODE Json::Json(std::string_view value) : type_(Type::text), text_(value) {}
WEIR_SDK_CODE Json::Json(std::string value) noexcept : type_(Type::text), text_(std::move(value)) {}
WEIR_SDK_CODE Json::Json(Array value) noexcept : type_(Type::array), array_(std::move(value)) {}
WEIR_SDK_CODE Json::Json(Object value) noexcept : type_(Type::object), object_(std::move(value)) {}
WEIR_SDK_CODE Json::Json(const std::vector<std::string>& texts)
    : type_(Type::array), array_(texts.begin(), texts.end()) {}

WEIR_SDK_CODE Json::Json(const Json& other) : type_(other.type_), integer_(0) {
  switch (type_) {
    case Type::null: break;
    case Type::boolean: boolean_ = other.boolean_; break;
    case Type::integer: integer_ = other.integer_; break;
    case Type::number: number_ = other.number_; break;
    case Type::text: new (&text_) std::string(other.text_); break;
    case Type::array: new (&array_) Array(other.array_); break;
    case Type::object: new (&object_) Object(other.object_); break;
  }
}
WEIR_SDK_CODE Json::Json(Json&& other) noexcept : type_(other.type_), integer_(0) {
  switch (type_) {
    case Type::null: break;
    case Type::boolean: boolean_ = other.boolean_; break;
    case Type::integer: integer_ = other.integer_; break;
    case Type::number: number_ = other.number_; break;
    case Type::text: new (&text_) std::string(std::move(other.text_)); break;
    case Type::array: new (&array_) Array(std::move(other.array_)); break;
    case Type::object: new (&object_) Object(std::move(other.object_)); break;
  }
}
// Either may be a part of the other.
WEIR_SDK_CODE Json& Json::operator=(const Json& other) { return *this = Json(other); }
WEIR_SDK_CODE Json& Json::operator=(Json&& other) noexcept {
  Json taken(std::move(other));
  this->~Json();
  return *new (this) Json(std::move(taken));
}
WEIR_SDK_CODE Json::~Json() {
  if (type_ == Type::text) text_.~basic_string();
  else if (type_ == Type::array) array_.~vector();
  else if (type_ == Type::object) object_.~map();
}

WEIR_SDK_CODE const Json* Json::find(std::string_view key) const {
  const auto* all = object();
  if (!all) return nullptr;
  const auto at = all->find(key);
  return at == all->end() ? nullptr : &at->second;
}
WEIR_SDK_CODE std::string Json::text(std::string_view key) const {
  const auto* value = find(key);
  return value && value->text() ? *value->text() : std::string();
}
WEIR_SDK_CODE std::vector<std::string> Json::texts(std::string_view key) const {
  std::vector<std::string> all;
  const auto* value = find(key);
  if (value && value->array())
    for (const auto& one : *value->array())
      if (one.text()) all.push_back(*one.text());
  return all;
}
WEIR_SDK_CODE bool Json::boolean(std::string_view key) const {
  const auto* value = find(key);
  return value && value->boolean() && *value->boolean();
}
WEIR_SDK_CODE std::int64_t Json::integer(std::string_view key) const {
  const auto* value = find(key);
  return value && value->integer() ? *value->integer() : 0;
}
WEIR_SDK_CODE Json Json::part(std::initializer_list<std::string_view> keys) const {
  Object chosen;
  for (const auto key : keys)
    if (const auto* value = find(key)) chosen.emplace(key, *value);
  return chosen;
}

namespace sdk_detail {

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
      case '"': out = Json(std::string()); return string(out.text_);
      case 't': out = Json(true); return take("true");
      case 'f': out = Json(false); return take("false");
      case 'n': out = Json(); return take("null");
      default: return number(out);
    }
  }

  bool object(Json& out, int depth) {
    out = Json(Json::Object());
    auto& all = out.object_;
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
    out = Json(Json::Array());
    auto& all = out.array_;
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
      out = Json(whole);
    } else if (const auto other = std::from_chars(first, last, broken);
               size > 0 && other.ec == std::errc() && other.ptr == last) {
      out = Json(broken);
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

inline void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) return void(out += "null");
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  const std::string_view written(digits, static_cast<std::size_t>(end - digits));
  out += written;
  if (written.find_first_of(".e") == written.npos) out += ".0";
}

}  // namespace sdk_detail

WEIR_SDK_CODE std::optional<Json> Json::parse(std::string_view text) {
  return sdk_detail::JsonParser(text).document();
}

WEIR_SDK_CODE void append_json(std::string& out, std::string_view text) {
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

WEIR_SDK_CODE void Json::append_to(std::string& out) const {
  const char* before = "";
  switch (type_) {
    case Type::null: out += "null"; break;
    case Type::boolean: out += boolean_ ? "true" : "false"; break;
    case Type::integer: out += std::to_string(integer_); break;
    case Type::number: sdk_detail::append_number(out, number_); break;
    case Type::text: append_json(out, text_); break;
    case Type::array:
      out += '[';
      for (const auto& one : array_) {
        out += std::exchange(before, ",");
        one.append_to(out);
      }
      out += ']';
      break;
    case Type::object:
      out += '{';
      for (const auto& [key, value] : object_) {
        out += std::exchange(before, ",");
        append_json(out, key);
        out += ':';
        value.append_to(out);
      }
      out += '}';
      break;
  }
}

WEIR_SDK_CODE std::string Json::dump() const {
  std::string out;
  append_to(out);
  return out;
}

}  // namespace weir::sdk
