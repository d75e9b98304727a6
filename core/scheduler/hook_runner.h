// Tells others of starts and ends of jobs, beside the loop: hooks run on a thread of their own, one after the
// other. A hook that throws is counted and forgotten, one that is slow holds up only the hooks behind it, and
// when too many wait the newest are dropped and counted. Nothing a hook does reaches the loop.
//
// The destructor lets what waits run, but not longer than `patience`; then the rest is dropped. A hook that
// is under way is waited for, so hooks that may hang bring a time-out of their own
// (core/exec/hook_command.h).
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/model/event.h"

namespace weir {

class HookRunner final : public Observer {
 public:
  // Gets the event as a line of JSON.
  using Hook = std::function<void(const std::string& event)>;
  struct Options {
    std::size_t backlog = 1000;
    Duration patience = std::chrono::seconds(5);
  };
  struct Counts {
    std::uint64_t run = 0, failed = 0, dropped = 0;
  };

  HookRunner();
  explicit HookRunner(Options options) : options_(options) {}
  ~HookRunner() override;
  HookRunner(const HookRunner&) = delete;
  HookRunner& operator=(const HookRunner&) = delete;

  // Before the run starts.
  void on_start(Hook hook) { on_start_.push_back(std::move(hook)); }
  void on_complete(Hook hook) { on_complete_.push_back(std::move(hook)); }
  void on_run_end(Hook hook) { on_run_end_.push_back(std::move(hook)); }

  void on_event(const Event& event) override;
  Counts counts() const;

 private:
  struct Call {
    const Hook* hook;
    std::string event;
  };
  void call_all(const std::vector<Hook>& hooks, const Event& event);
  void work();
  bool next(Call& call);

  Options options_;
  std::vector<Hook> on_start_, on_complete_, on_run_end_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Call> calls_;
  Counts counts_;
  bool ending_ = false;
  std::chrono::steady_clock::time_point give_up_{};
  std::thread thread_;  // started with the first call
};

}  // namespace weir
