#include "core/exec/idle_inits.h"

#include <signal.h>

#include <utility>

namespace weir {

void IdleInits::keep(IdleInit one) {
  idle_.push_back(std::move(one));
  if (idle_.size() > kMost) retire(0);
}

IdleInit IdleInits::take(const std::string& shape) {
  for (auto at = idle_.size(); at-- > 0;) {
    if (!idle_[at].process->is_running()) {  // somebody has killed it
      retire(at);
    } else if (idle_[at].shape == shape) {
      auto found = std::move(idle_[at]);
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(at));
      return found;
    }
  }
  return {};
}

// Without waiting for its end.
void IdleInits::retire(std::size_t at) {
  auto one = std::move(idle_[at]);
  idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(at));
  std::erase_if(retired_, [](const auto& process) { return !process->is_running(); });
  if (one.process->is_running()) {
    ::kill(one.process->pid(), SIGKILL);
    retired_.push_back(std::move(one.process));
  }
  if (one.cgroup) cgroups_->give_back(std::move(one.cgroup));
}

void IdleInits::end_all() {
  while (!idle_.empty()) retire(idle_.size() - 1);
  for (const auto& process : retired_) process->end();
  retired_.clear();
}

}  // namespace weir
