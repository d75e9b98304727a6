// The direct child of a job: weir-init, or bubblewrap around one. It is watched here and ended here.
//
// A weir-init in a pid namespace of its own may serve one job after the other (core/exec/init_protocol.h):
// starting one costs a fifth of a short job. It says when it is done with a plan, and then nothing of that
// job is left in its namespace.
//
// For .cpp files of core/exec only: it brings in Boost. Loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/exec/launcher.h"

namespace weir {

class InitProcess : public std::enable_shared_from_this<InitProcess> {
 public:
  struct Hooks {
    std::function<void()> done;              // with the plan that it was given
    std::function<void(int status)> exited;  // as waitpid gives it
  };

  explicit InitProcess(boost::asio::io_context& loop)
      : process_(loop.get_executor()), talk_(loop), status_(loop) {}
  ~InitProcess() { end(); }
  InitProcess(const InitProcess&) = delete;
  InitProcess& operator=(const InitProcess&) = delete;

  Spawned start(const SpawnRequest& request);
  // One that serves: `descriptors` are those of SpawnRequest, with the end of a socket as the plan.
  Result<UniqueFd> make_socket();
  // What init_protocol.h says; false if it is gone.
  bool hand_over(std::span<const int> descriptors);

  // Bubblewrap: where it tells of its inside, and what it has told. The call comes when the inside is known.
  Result<UniqueFd> make_status_pipe();
  void on_learnt(std::function<void()> call) { learnt_ = std::move(call); }
  void read_status();
  pid_t inner_pid() const { return inner_pid_; }  // 0: not known yet
  int inner_pidfd() const { return inner_pidfd_.get(); }
  bool inside_ended() const;

  void listen(Hooks hooks) { hooks_ = std::move(hooks); }
  pid_t pid() const { return pid_; }
  bool is_running() const { return pid_ > 0 && !exited_; }
  // Waits for its end, of which nobody is told.
  void await_end();
  void end();

 private:
  void watch_exit();
  void watch_socket();
  void watch_status();
  void hear();

  using Descriptor = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  LoopProcess process_;
  Descriptor talk_;
  Descriptor status_;
  std::string status_text_;
  std::function<void()> learnt_;
  UniqueFd inner_pidfd_;
  pid_t inner_pid_ = 0;
  Hooks hooks_;
  pid_t pid_ = -1;
  bool exited_ = false;
};

}  // namespace weir
