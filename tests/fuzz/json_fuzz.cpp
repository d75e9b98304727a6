// JSON of any source: requests, events, inputs of the simulator, answers of plugins.
#include "core/base/json_value.h"

#include "tests/fuzz/fuzz_target.h"

namespace weir {

namespace {

std::size_t depth_of(const JsonValue& value) {
  std::size_t deepest = 0;
  for (const auto& item : value.items) deepest = std::max(deepest, depth_of(item));
  return deepest + 1;
}

}  // namespace

WEIR_FUZZ_TARGET(json) {
  const auto value = parse_json(input);
  if (!value) {
    WEIR_ASSERT(value.error().message.starts_with("$"), "an error without its place");
    return;
  }
  WEIR_ASSERT(depth_of(*value) <= kDeepestJson + 1, "too deep");
  for (const auto& name : value->names) WEIR_ASSERT(value->member(name), "{} is lost", name);
  const auto text = to_json(*value);
  const auto again = parse_json(text);
  WEIR_ASSERT(again && to_json(*again) == text, "a document changed by writing it: {}", text);
}

}  // namespace weir
