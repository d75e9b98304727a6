#include "core/scheduler/hook_runner.h"

#include <exception>

#include "core/base/log.h"

namespace weir {

HookRunner::HookRunner() : HookRunner(Options{}) {}

HookRunner::~HookRunner() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    give_up_ = std::chrono::steady_clock::now() + options_.patience;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void HookRunner::on_event(const Event& event) {
  if (event.as<event::JobStart>()) call_all(on_start_, event);
  if (event.as<event::JobEnd>()) call_all(on_complete_, event);
  if (event.as<event::RunEnd>()) call_all(on_run_end_, event);
}

void HookRunner::call_all(const std::vector<Hook>& hooks, const Event& event) {
  if (hooks.empty()) return;
  std::string json;
  append_json(json, event, std::chrono::system_clock::now());
  {
    const std::lock_guard lock(mutex_);
    for (const auto& hook : hooks) {
      if (calls_.size() < options_.backlog) {
        calls_.push_back({&hook, json});
      } else {
        ++counts_.dropped;
      }
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  wake_.notify_one();
}

bool HookRunner::next(Call& call) {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [&] { return ending_ || !calls_.empty(); });
  const bool too_late = ending_ && std::chrono::steady_clock::now() >= give_up_;
  if (calls_.empty() || too_late) {
    counts_.dropped += calls_.size();
    calls_.clear();
    return false;
  }
  call = std::move(calls_.front());
  calls_.pop_front();
  return true;
}

void HookRunner::work() {
  Call call;
  while (next(call)) {
    bool failed = false;
    try {
      (*call.hook)(call.event);
    } catch (const std::exception& error) {
      failed = true;
      log_warn("a hook failed: {}", error.what());
    } catch (...) {
      failed = true;
    }
    const std::lock_guard lock(mutex_);
    ++counts_.run;
    counts_.failed += failed;
  }
}

HookRunner::Counts HookRunner::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace weir
