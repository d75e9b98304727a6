// The jobserver of a make that runs weir, by what it says in MAKEFLAGS:
//   --jobserver-auth=R,W   descriptors that weir inherited (make before 4.2: --jobserver-fds)
//   --jobserver-auth=fifo:PATH
// Each byte that is read from it is the right to run one process more beside the one that weir stands for,
// and has to be written back, the same byte, whatever becomes of the run. Only when weir is killed by SIGKILL
// are they lost until that make ends, as they are with any other client.
//
// Reads never block the loop. A pipe is shared with all other clients, and so is whether its reads block: it
// is opened anew by its name below /proc, for a description of weir's own. If that is not allowed (a pipe of
// another user) it is used as it is, provided that it does not block already, as make's own does not since
// 4.3; a byte that poll() has seen may be gone before it is read, so one that blocks is not used.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace boost::asio {
class io_context;
}

namespace weir {

// What MAKEFLAGS says; the last one counts. Nothing if it names no jobserver.
struct JobserverAddress {
  int reader = -1, writer = -1;
  std::string fifo;  // instead of them
  bool operator==(const JobserverAddress&) const = default;
};
std::optional<JobserverAddress> parse_make_flags(std::string_view flags);

// Ends of a jobserver that is there.
struct JobserverEnds {
  UniqueFd reader, writer;
};
// Descriptors that are not open, or no pipes, or the wrong way round are an error in words. To be called
// before weir opens files of its own: they would get the numbers of descriptors that make has closed.
Result<JobserverEnds> open_jobserver(const JobserverAddress& address);

class OuterJobserver {
 public:
  // `news` is called from the loop, each time that there is one token more.
  OuterJobserver(boost::asio::io_context& loop, JobserverEnds ends, std::function<void()> news);
  ~OuterJobserver();  // gives all back
  OuterJobserver(const OuterJobserver&) = delete;
  OuterJobserver& operator=(const OuterJobserver&) = delete;

  std::size_t held() const;
  // Gives back what is more, and gets what is less as it comes.
  void want(std::size_t tokens);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace weir
