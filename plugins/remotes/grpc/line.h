// The way to one server: the only door to gRPC, whose headers stay in line.cpp.
//
// A line has one thread. It sleeps until a call has news or a task comes, and everything that is heard of
// calls is heard on it, so whoever is called by a line needs no locks. Nothing is started and nothing
// connects before the first task. A thread of its own with a completion queue rather than gRPC's callbacks:
// those come on a dozen threads that all channels of the process share, and the last one to let go of a
// channel must be none of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::reapi {

struct LineSettings {
  std::string server;  // host:port
  bool secure = false;
  std::string roots;  // certificates in PEM; empty: those of the system
  std::chrono::milliseconds connect_timeout{2000};
};

// How a call ended, by the numbers of gRPC.
struct Status {
  int code = 0;
  std::string message;

  bool ok() const { return code == 0; }
};

using Headers = std::vector<std::pair<std::string, std::string>>;
using CallNumber = std::uint64_t;

struct Outgoing {
  std::string bytes;
  bool is_last = true;
};

// One side of a call. A message is asked for when the one before is on its way, and given when the one before
// was looked at: no more than one of each is in memory.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Outgoing next() = 0;  // not after the last
  virtual void received(std::string_view message) = 0;
  virtual void ended(const Status& status) = 0;  // once
};

class Line {
 public:
  explicit Line(LineSettings settings);
  ~Line();
  Line(const Line&) = delete;

  // [any thread] This one and the next; all others are for the thread of the line.
  void post(std::function<void()> task);
  // Cancels all calls, and returns when they have ended: nobody is called any more. Nothing is posted
  // afterwards.
  void close();

  CallNumber start(const std::string& method, const Headers& headers, std::shared_ptr<Stream> stream);
  // A call with one message and one answer.
  CallNumber ask(const std::string& method, const Headers& headers, std::string message,
                 std::function<void(const Status&, const std::string& answer)> done);
  void cancel(CallNumber call);  // those that have ended are ignored

 private:
  class Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace weir::reapi
