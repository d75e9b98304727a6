#include "core/sim/fleet.h"

#include <fmt/format.h>

#include "core/sim/sim_time.h"

namespace weir::sim {

Fleet::Fleet(const RunInput& input)
    : input_(input), random_(input.seed ^ 0xd1b54a32d192ed03ULL), is_down_(input.workers, false) {
  Random slowness(input.seed ^ 0x8cb92ba72f3d8dd7ULL);
  for (std::uint32_t w = 0; w < input.workers; ++w) {
    is_slow_.push_back(slowness.chance(input.slow_fraction));
    if (input.worker_mtbf_s > 0) timers_.set(Time{} + exponential(input.worker_mtbf_s, random_), w);
  }
}

std::vector<WorkerSpec> Fleet::specs(Executor& executor) const {
  std::vector<WorkerSpec> all;
  for (std::uint32_t w = 0; w < input_.workers; ++w)
    all.push_back({fmt::format("w{}", w), input_.slots, &executor});
  return all;
}

void Fleet::fire(Time now) {
  while (const auto due = timers_.pop_due(now)) {
    const auto w = static_cast<std::uint32_t>(*due);
    is_down_[w] = !is_down_[w];
    door_->post(input::OrderWorker{WorkerId{w}, is_down_[w] ? WorkerOrder::lose : WorkerOrder::bring_back});
    const auto until =
        is_down_[w] ? from_seconds(input_.repair_s) : exponential(input_.worker_mtbf_s, random_);
    timers_.set(now + until, w);
  }
}

}  // namespace weir::sim
