// Reading an input: each value is asked for by what it has to be. The first thing that is wrong is kept with
// its path, and every question after it is answered with a harmless default; who reads looks at the problem
// once, at the end.
#pragma once

#include <optional>
#include <span>

#include "core/base/json_value.h"
#include "core/base/result.h"
#include "core/placement/decimal.h"

namespace weir {

class JsonInput {
 public:
  JsonInput(const JsonValue& root, std::optional<std::string>& problem) : JsonInput(&root, "$", &problem) {}

  bool is_present() const { return value_ != nullptr; }
  bool is_text() const { return value_ && value_->kind == JsonValue::Kind::text; }
  bool is_null() const { return value_ && value_->kind == JsonValue::Kind::null; }
  const std::string& path() const { return path_; }
  void complain(std::string_view what) const;

  // A member; it may be missing until something is asked of it.
  JsonInput operator[](std::string_view member) const;
  std::vector<JsonInput> items() const;
  // Name and value of each member.
  std::vector<std::pair<std::string, JsonInput>> members() const;

  std::string text() const;
  bool boolean() const;
  Decimal decimal() const;  // 0 or more
  double real(double least, double most) const;
  std::int64_t whole(std::int64_t least, std::int64_t most) const;
  std::size_t one_of(std::span<const std::string_view> words) const;

 private:
  JsonInput(const JsonValue* value, std::string path, std::optional<std::string>* problem)
      : value_(value), path_(std::move(path)), problem_(problem) {}
  bool is(JsonValue::Kind kind, std::string_view what) const;

  const JsonValue* value_;
  std::string path_;
  std::optional<std::string>* problem_;
};

// Reads a whole document with `read(JsonInput) -> T`.
template <class Read>
auto read_input(std::string_view document, Read read) -> Result<decltype(read(std::declval<JsonInput>()))> {
  const auto root = parse_json(document);
  if (!root) return tl::unexpected(root.error());
  std::optional<std::string> problem;
  auto out = read(JsonInput(*root, problem));
  if (problem) return fail(Reason::usage, std::move(*problem));
  return out;
}

}  // namespace weir
