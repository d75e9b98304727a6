#include "plugins/remotes/grpc/status.h"

#include <algorithm>
#include <array>

namespace weir::reapi {

namespace {

struct Meaning {
  const char* name;
  bool is_final;  // the same call would get the same answer
};
// By the number of the code.
constexpr std::array<Meaning, 17> kMeanings = {{
    {"OK", false},
    {"CANCELLED", false},
    {"UNKNOWN", false},
    {"INVALID_ARGUMENT", true},
    {"DEADLINE_EXCEEDED", false},
    {"NOT_FOUND", true},
    {"ALREADY_EXISTS", false},
    {"PERMISSION_DENIED", true},
    {"RESOURCE_EXHAUSTED", false},
    {"FAILED_PRECONDITION", true},
    {"ABORTED", false},
    {"OUT_OF_RANGE", false},
    {"UNIMPLEMENTED", true},
    {"INTERNAL", false},
    {"UNAVAILABLE", false},
    {"DATA_LOSS", false},
    {"UNAUTHENTICATED", true},
}};

bool is_known(int code) { return code >= 0 && static_cast<std::size_t>(code) < kMeanings.size(); }

std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

}  // namespace

std::string name_of_code(int code) {
  return is_known(code) ? kMeanings[static_cast<std::size_t>(code)].name : "code " + std::to_string(code);
}

sdk::Ended ended_of(const Status& status, sdk::Action action) {
  const bool is_get = action == sdk::Action::get || action == sdk::Action::get_record;
  if (status.code == kNotFound && is_get) return sdk::Ended::missing();
  auto message = "the server answered " + name_of_code(status.code);
  if (!status.message.empty()) message += ": " + in_one_line(status.message);
  const bool is_final = is_known(status.code) && kMeanings[static_cast<std::size_t>(status.code)].is_final;
  return is_final ? sdk::Ended::refused(std::move(message)) : sdk::Ended::trouble(std::move(message));
}

}  // namespace weir::reapi
