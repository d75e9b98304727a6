#include "core/scheduler/virtual_driver.h"

#include <algorithm>

namespace weir {

void VirtualDriver::at(Duration at, std::function<void()> what) {
  const Time time{at};
  const auto later = [](const Planned& planned, Time moment) { return planned.at > moment; };
  // Before the first that is not later, so that those of one moment run in the order in which they were
  // planned.
  const auto place = std::lower_bound(planned_.begin(), planned_.end(), time, later);
  planned_.insert(place, {time, std::move(what)});
}

std::optional<Time> VirtualDriver::next_moment(std::optional<Time> deadline) const {
  auto next = deadline;
  const auto consider = [&](std::optional<Time> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  for (const auto* source : sources_) consider(source->next());
  if (!planned_.empty()) consider(planned_.back().at);
  return next;
}

bool VirtualDriver::run() {
  for (;;) {
    const auto deadline = scheduler_.step();
    if (scheduler_.finished()) return true;
    if (!scheduler_.door().empty()) continue;
    const auto next = next_moment(deadline);
    if (!next) return false;
    clock_.advance_to(*next);
    while (!planned_.empty() && planned_.back().at <= clock_.now()) {
      const auto what = std::move(planned_.back().what);
      planned_.pop_back();
      what();
    }
    for (auto* source : sources_) source->fire(clock_.now());
  }
}

}  // namespace weir
