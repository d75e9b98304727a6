#include "core/model/event_reader.h"

#include <algorithm>
#include <charconv>

#include "core/model/event_limits.h"

namespace weir {

namespace {

using Kind = JsonValue::Kind;

const JsonValue* member_of(const JsonValue& object, const char* name, Kind kind) {
  const auto* value = object.member(name);
  return value && value->kind == kind ? value : nullptr;
}

template <class Number>
std::optional<Number> number_in(const JsonValue& value) {
  Number number{};
  const auto* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, number);
  if (value.kind != Kind::number || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

template <class Number>
std::optional<Number> number_of(const JsonValue& object, const char* name) {
  const auto* value = object.member(name);
  return value ? number_in<Number>(*value) : std::nullopt;
}

std::chrono::microseconds since_start(std::optional<std::int64_t> us) {
  constexpr auto kMost = std::chrono::duration_cast<std::chrono::microseconds>(kLongestRun);
  return std::clamp(std::chrono::microseconds(us.value_or(0)), std::chrono::microseconds(0), kMost);
}

}  // namespace

void EventReader::get(std::string_view& field, const char* name) const {
  if (const auto* text = member_of(document_, name, Kind::text)) field = text->text;
}
void EventReader::get(std::uint64_t& field, const char* name) const {
  field = number_of<std::uint64_t>(document_, name).value_or(0);
}
void EventReader::get(std::int64_t& field, const char* name) const {
  field = number_of<std::int64_t>(document_, name).value_or(0);
}
void EventReader::get(double& field, const char* name) const {
  field = number_of<double>(document_, name).value_or(0);
}
void EventReader::get(std::optional<std::int64_t>& field, const char* name) const {
  field = number_of<std::int64_t>(document_, name);
}
void EventReader::get(std::optional<double>& field, const char* name) const {
  field = number_of<double>(document_, name);
}

void EventReader::get(event::TextList& field, const char* name) {
  auto& list = texts_.emplace_back();
  if (const auto* array = member_of(document_, name, Kind::array))
    for (const auto& item : array->items)
      if (item.kind == Kind::text) list.push_back(item.text);
  field = list;
}

void EventReader::get(event::TokenList& field, const char* name) {
  auto& list = tokens_.emplace_back();
  if (const auto* object = member_of(document_, name, Kind::object))
    for (std::size_t i = 0; i < object->items.size(); ++i)
      if (const auto amount = number_in<std::int64_t>(object->items[i]))
        list.emplace_back(object->names[i], cut_amount(*amount));
  field = list;
}

void EventReader::get(event::NumberList& field, const char* name) {
  auto& list = numbers_.emplace_back();
  if (const auto* array = member_of(document_, name, Kind::array))
    for (const auto& item : array->items)
      if (const auto number = number_in<std::uint64_t>(item)) list.push_back(*number);
  field = list;
}

#define WEIR_GET(type, member, json_name, doc) get(body.member, json_name);
#define WEIR_TYPED(Name, json_name, doc)                                               \
  if (kind == json_name) {                                                             \
    event::Name body;                                                                  \
    WEIR_FIELDS_##Name(WEIR_GET) return Event{seq.value_or(0), since_start(us), body}; \
  }
std::optional<Event> EventReader::read(std::string_view line) {
  texts_.clear();
  tokens_.clear();
  numbers_.clear();
  auto parsed = parse_json(line);
  if (!parsed) return std::nullopt;
  document_ = std::move(*parsed);
  std::string_view kind;
  get(kind, "ev");
  const auto seq = number_of<std::uint64_t>(document_, "seq");
  const auto us = number_of<std::int64_t>(document_, "us");
  WEIR_EVENTS(WEIR_TYPED)
  return std::nullopt;
}
#undef WEIR_TYPED
#undef WEIR_GET

std::string_view EventReader::time() const {
  const auto* text = member_of(document_, "t", Kind::text);
  return text ? std::string_view(text->text) : std::string_view();
}

}  // namespace weir
