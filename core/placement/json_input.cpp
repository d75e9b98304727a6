#include "core/placement/json_input.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir {

void JsonInput::complain(std::string_view what) const {
  if (!*problem_) *problem_ = fmt::format("{}: {}", path_, what);
}

bool JsonInput::is(JsonValue::Kind kind, std::string_view what) const {
  if (value_ && value_->kind == kind) return true;
  complain(value_ ? fmt::format("must be {}", what) : fmt::format("is missing; it must be {}", what));
  return false;
}

JsonInput JsonInput::operator[](std::string_view member) const {
  const JsonValue* found = nullptr;
  if (is(JsonValue::Kind::object, "an object")) {
    const auto& names = value_->names;
    const auto at = std::find(names.begin(), names.end(), member);
    if (at != names.end()) found = &value_->items[static_cast<std::size_t>(at - names.begin())];
  }
  return JsonInput(found, json_path(path_, member), problem_);
}

std::vector<JsonInput> JsonInput::items() const {
  std::vector<JsonInput> out;
  if (!is(JsonValue::Kind::array, "an array")) return out;
  out.reserve(value_->items.size());
  for (const auto& item : value_->items)
    out.push_back(JsonInput(&item, json_path(path_, out.size()), problem_));
  return out;
}

std::vector<std::pair<std::string, JsonInput>> JsonInput::members() const {
  std::vector<std::pair<std::string, JsonInput>> out;
  if (!is(JsonValue::Kind::object, "an object")) return out;
  for (std::size_t i = 0; i < value_->items.size(); ++i)
    out.emplace_back(value_->names[i],
                     JsonInput(&value_->items[i], json_path(path_, value_->names[i]), problem_));
  return out;
}

std::string JsonInput::text() const {
  return is(JsonValue::Kind::text, "a text") ? value_->text : std::string();
}

bool JsonInput::boolean() const { return is(JsonValue::Kind::boolean, "true or false") && value_->truth; }

Decimal JsonInput::decimal() const {
  if (!is(JsonValue::Kind::number, "a number")) return {};
  const auto number = Decimal::parse(value_->text);
  if (!number) complain("is out of range: a number has at most 400 digits and lies between 1e-400 and 1e400");
  else if (number->is_negative()) complain("is negative");
  else return *number;
  return {};
}

double JsonInput::real(double least, double most) const {
  const double number = decimal().approximate();
  if (number >= least && number <= most) return number;
  complain(fmt::format("must be from {} to {}", least, most));
  return least;
}

std::int64_t JsonInput::whole(std::int64_t least, std::int64_t most) const {
  if (!is(JsonValue::Kind::number, "a whole number")) return least;
  const auto number = Decimal::parse(value_->text);
  const auto whole = number ? number->whole() : std::nullopt;
  if (number && number->is_negative() && least >= 0) complain("is negative");
  else if (number && number->exponent() < 0) complain("must be a whole number");
  else if (!whole || *whole < least || *whole > most)
    complain(fmt::format("must be from {} to {}", least, most));
  else return *whole;
  return least;
}

std::size_t JsonInput::one_of(std::span<const std::string_view> words) const {
  const auto word = text();
  const auto at = std::find(words.begin(), words.end(), word);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  complain(fmt::format("must be one of: {}", fmt::join(words, ", ")));
  return 0;
}

}  // namespace weir
