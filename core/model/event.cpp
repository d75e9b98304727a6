#include "core/model/event.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/json_writer.h"

namespace weir {

namespace {

using namespace event;

void put(JsonWriter& json, const char* name, std::string_view text) { json.key(name).value(text); }
void put(JsonWriter& json, const char* name, std::uint64_t number) { json.key(name).value(number); }
void put(JsonWriter& json, const char* name, std::int64_t number) { json.key(name).value(number); }
void put(JsonWriter& json, const char* name, double number) { json.key(name).value(number); }
void put(JsonWriter& json, const char* name, OptionalText text) {
  if (!text.text.empty()) put(json, name, text.text);
}
void put(JsonWriter& json, const char* name, std::optional<std::int64_t> number) {
  if (number) put(json, name, *number);
}
void put(JsonWriter& json, const char* name, std::optional<double> number) {
  if (number) put(json, name, *number);
}
void put(JsonWriter& json, const char* name, NumberList numbers) {
  json.key(name).begin_array();
  for (const auto number : numbers) json.value(number);
  json.end_array();
}
void put(JsonWriter& json, const char* name, TextList texts) {
  json.key(name).begin_array();
  for (const auto text : texts) json.value(text);
  json.end_array();
}
void put(JsonWriter& json, const char* name, TokenList tokens) {
  json.key(name).begin_object();
  for (const auto& [token, amount] : tokens) json.key(token).value(amount);
  json.end_object();
}

#define WEIR_PUT(type, member, json_name, doc) put(json, json_name, body.member);
#define WEIR_PUT_ALL(Name, json_name, doc) \
  void put_fields(JsonWriter& json, const Name& body) { WEIR_FIELDS_##Name(WEIR_PUT) }
WEIR_EVENTS(WEIR_PUT_ALL)
#undef WEIR_PUT_ALL
#undef WEIR_PUT

// The calendar is asked once a second: a run of small jobs tells ten thousand events in one.
std::string_view timestamp(std::chrono::system_clock::time_point time) {
  static thread_local std::chrono::sys_seconds second = std::chrono::sys_seconds::min();
  static thread_local std::string text;
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  if (whole != second)
    text = fmt::format("{:%Y-%m-%dT%H:%M:%S}.000Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)));
  second = whole;
  auto fraction = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole).count();
  for (const auto back : {2, 3, 4}) {
    text[text.size() - static_cast<std::size_t>(back)] = static_cast<char>('0' + fraction % 10);
    fraction /= 10;
  }
  return text;
}

}  // namespace

std::string_view Event::name() const {
  return std::visit([](const auto& typed) { return std::decay_t<decltype(typed)>::kName; }, body);
}

void append_json(std::string& out, const Event& event, std::chrono::system_clock::time_point wall_clock) {
  JsonWriter json(out);
  json.begin_object();
  put(json, "v", std::uint64_t{1});
  put(json, "seq", event.seq);
  put(json, "t", timestamp(wall_clock));
  put(json, "us",
      std::int64_t{std::chrono::duration_cast<std::chrono::microseconds>(event.since_start).count()});
  put(json, "ev", event.name());
  std::visit([&](const auto& body) { put_fields(json, body); }, event.body);
  json.end_object();
}

std::string event_documentation() {
  std::string out =
      "# Events\n\n"
      "A run is its events: one JSON object a line, kept for every run and written by `--events FILE|-`.\n"
      "Every event has `v` (1), `seq` (from 1, without gaps), `t` (time of day, UTC), `us` (microseconds "
      "since the start,\n"
      "monotonic) and `ev` (its name). The rest is below. The format is append-only: events and fields are "
      "added, never\n"
      "changed; readers ignore what they do not know. This page is made from core/model/event_table.h.\n";
#define WEIR_DOC_FIELD(type, member, json_name, doc) out += fmt::format("| `{}` | {} |\n", json_name, doc);
#define WEIR_DOC(Name, json_name, doc)                                                        \
  out += fmt::format("\n## {}\n{}.\n\n| field | meaning |\n| --- | --- |\n", json_name, doc); \
  WEIR_FIELDS_##Name(WEIR_DOC_FIELD)
  WEIR_EVENTS(WEIR_DOC)
#undef WEIR_DOC
#undef WEIR_DOC_FIELD
  return out;
}

}  // namespace weir
