// A run is its events: terminal, JSON lines, reports and tests are readers of this one stream. The structs
// are made from event_table.h. Texts are borrowed: an observer that keeps an event copies what it needs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/clock.h"
#include "core/model/event_table.h"

namespace weir {

namespace event {

using TextList = std::span<const std::string_view>;
using TokenList = std::span<const std::pair<std::string_view, std::int64_t>>;
using NumberList = std::span<const std::uint64_t>;
struct OptionalText {
  std::string_view text;  // empty: the field is left out
};

#define WEIR_MEMBER(type, member, json, doc) type member{};
#define WEIR_STRUCT(Name, json, doc)                \
  struct Name {                                     \
    static constexpr std::string_view kName = json; \
    WEIR_FIELDS_##Name(WEIR_MEMBER)                 \
  };
WEIR_EVENTS(WEIR_STRUCT)
#undef WEIR_STRUCT
#undef WEIR_MEMBER

#define WEIR_ALTERNATIVE(Name, json, doc) , Name
template <class Nothing, class... Events>
struct VariantOf {
  using Type = std::variant<Events...>;
};
using Body = VariantOf<void WEIR_EVENTS(WEIR_ALTERNATIVE)>::Type;
#undef WEIR_ALTERNATIVE

}  // namespace event

struct Event {
  std::uint64_t seq = 0;  // from 1, without gaps
  Duration since_start{};
  event::Body body;

  std::string_view name() const;
  template <class T>
  const T* as() const {
    return std::get_if<T>(&body);
  }
};

// Called on the loop's thread, in the order of seq. Must not block.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(const Event& event) = 0;
};

// One JSON line without its newline. `wall_clock` is the time of day at which the event happened.
void append_json(std::string& out, const Event& event, std::chrono::system_clock::time_point wall_clock);

// docs/events.md; a test compares the file with it.
std::string event_documentation();

}  // namespace weir
