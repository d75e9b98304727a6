// One client of a run's socket: a request, a reply, as often as wanted. Blocks; for commands, not for the
// loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

class ControlClient {
 public:
  // To the run that has this folder. Reason::not_found if none listens there.
  static Result<ControlClient> connect(const std::string& folder);

  // The line that comes back, without its end. Nothing heard for `patience`: an error; without one it waits
  // as long as the run lives.
  Result<std::string> ask(std::string_view line, std::optional<Duration> patience);

 private:
  explicit ControlClient(UniqueFd socket) : socket_(std::move(socket)) {}
  Status send(std::string_view bytes, std::optional<Duration> patience);
  Result<std::string> receive_line(std::optional<Duration> patience);
  Status await(short what, std::optional<Duration> patience);

  UniqueFd socket_;
};

}  // namespace weir
