// What a client may ask: one JSON object a line, {"v":1,"op":"set","name":"rebalance-threshold","value":40}.
// docs/control.md has all of them. What is not known is refused, never ignored: a member that was misspelled
// would otherwise turn the cancelling of one job into that of all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/control/run_control.h"

namespace weir::control {

inline constexpr int kVersion = 1;

namespace request {

struct Status {};
// `job` as for RunControl: empty is all of them.
struct Cancel {
  std::string job;
};
struct Suspend {
  std::string job;
};
struct Resume {
  std::string job;
};
struct Submit {
  std::string requestor;  // may be empty
  std::vector<std::string> targets;
};
struct Get {
  std::string name;  // empty: all
};
struct Set {
  std::string name;
  std::string json;
};
struct Worker {
  std::string name;
  WorkerOrder order = WorkerOrder::drain;
};

}  // namespace request

using Request = std::variant<request::Status, request::Cancel, request::Suspend, request::Resume,
                             request::Submit, request::Get, request::Set, request::Worker>;

// What is wrong, and with which part of the request: a JSON pointer, "/targets/2". Empty: with none of them.
struct Refusal {
  Error error;
  std::string path;
};

tl::expected<Request, Refusal> parse_request(std::string_view line);
// Without the end of the line.
std::string to_line(const Request& request);

// "drain", "remove" or "return".
Result<WorkerOrder> parse_worker_order(std::string_view word);

// `did you mean "status"?`, or all that there are.
std::string near_or_all(std::string_view word, std::span<const std::string_view> all);

}  // namespace weir::control
