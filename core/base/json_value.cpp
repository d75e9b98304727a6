#include "core/base/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace weir {

namespace {

// Builds the tree from the events of nlohmann's parser, which does not recurse and gives numbers with their
// text.
class TreeBuilder {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  bool null() { return put({}); }
  bool boolean(bool truth) { return put({JsonValue::Kind::boolean, truth, {}, {}, {}}); }
  bool number_integer(number_integer_t number) { return put_number(std::to_string(number)); }
  bool number_unsigned(number_unsigned_t number) { return put_number(std::to_string(number)); }
  bool number_float(number_float_t, const string_t& text) { return put_number(text); }
  bool string(string_t& text) { return put({JsonValue::Kind::text, false, std::move(text), {}, {}}); }
  bool binary(binary_t&) { return complain("is no JSON"); }
  bool start_object(std::size_t) { return open(JsonValue::Kind::object); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(JsonValue::Kind::array); }
  bool end_array() { return close(); }

  bool key(string_t& name) {
    auto& level = open_.back();
    if (!level.seen.insert(name).second) return complain(json_path(path(), name), "is given twice");
    level.value.names.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) {
    if (error.id == kOutOfRange)
      return complain(next_path(), fmt::format("the number {} is too large", shortened(token)));
    return complain(next_path(), fmt::format("is no JSON, at byte {}", position));
  }

  const std::string& problem() const { return problem_; }
  JsonValue take() { return std::move(root_); }

 private:
  static constexpr int kOutOfRange = 406;
  struct Level {
    JsonValue value;
    std::unordered_set<std::string> seen;
  };

  static std::string shortened(const std::string& text) {
    return text.size() > 40 ? text.substr(0, 40) + "..." : text;
  }

  // Of the value that is open; the levels above it are on the way to it.
  std::string path() const {
    std::string out = "$";
    for (std::size_t i = 0; i + 1 < open_.size(); ++i)
      out = step(out, open_[i].value, open_[i].value.items.size());
    return out;
  }
  std::string next_path() const {
    if (open_.empty()) return "$";
    const auto& value = open_.back().value;
    return step(path(), value, value.items.size());
  }
  static std::string step(const std::string& parent, const JsonValue& value, std::size_t at) {
    if (value.kind == JsonValue::Kind::array) return json_path(parent, at);
    return at < value.names.size() ? json_path(parent, value.names[at]) : parent;
  }

  bool complain(std::string where, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", where, what);
    return false;
  }
  bool complain(std::string_view what) { return complain(next_path(), what); }

  bool put_number(std::string text) { return put({JsonValue::Kind::number, false, std::move(text), {}, {}}); }
  bool put(JsonValue value) {
    (open_.empty() ? root_ : open_.back().value.items.emplace_back()) = std::move(value);
    return true;
  }
  bool open(JsonValue::Kind kind) {
    if (open_.size() >= kDeepestJson) return complain("is nested too deep");
    open_.emplace_back().value.kind = kind;
    return true;
  }
  bool close() {
    auto value = std::move(open_.back().value);
    open_.pop_back();
    return put(std::move(value));
  }

  JsonValue root_;
  std::vector<Level> open_;
  std::string problem_;
};

bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c == '_' || c == '-' || (c < 0x80 && std::isalnum(c));
  });
}

void write_items(const JsonValue& value, JsonWriter& out) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (value.kind == JsonValue::Kind::object) out.key(value.names[i]);
    value.items[i].write(out);
  }
}

}  // namespace

const JsonValue* JsonValue::member(std::string_view name) const {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? nullptr : &items[static_cast<std::size_t>(at - names.begin())];
}

void JsonValue::write(JsonWriter& out) const {
  switch (kind) {
    case Kind::null: out.null(); break;
    case Kind::boolean: out.value(truth); break;
    case Kind::number: out.raw(text); break;
    case Kind::text: out.value(text); break;
    case Kind::array:
      out.begin_array();
      write_items(*this, out);
      out.end_array();
      break;
    case Kind::object:
      out.begin_object();
      write_items(*this, out);
      out.end_object();
      break;
  }
}

std::string to_json(const JsonValue& value) {
  std::string text;
  JsonWriter out(text);
  value.write(out);
  return text;
}

std::string json_path(std::string_view parent, std::string_view member) {
  if (is_plain(member)) return fmt::format("{}.{}", parent, member);
  const auto quoted =
      nlohmann::json(member.substr(0, 64)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return fmt::format("{}[{}]", parent, quoted);
}

std::string json_path(std::string_view parent, std::size_t item) {
  return fmt::format("{}[{}]", parent, item);
}

Result<JsonValue> parse_json(std::string_view document) {
  TreeBuilder builder;
  if (!nlohmann::json::sax_parse(document.begin(), document.end(), &builder))
    return fail(Reason::usage, builder.problem().empty() ? "$: is no JSON" : builder.problem());
  return builder.take();
}

}  // namespace weir
