#include "core/placement/local_placer.h"

#include <algorithm>
#include <utility>

namespace weir {

void LocalPlacer::add_worker(WorkerId worker) {
  if (index(worker) >= waits_.size()) waits_.resize(index(worker) + std::size_t{1}, false);
}

std::vector<ResultId>& LocalPlacer::running_of(WorkerId worker) {
  if (index(worker) >= running_.size()) running_.resize(index(worker) + std::size_t{1});
  return running_[index(worker)];
}

std::vector<ResultId> LocalPlacer::remove_worker(WorkerId worker, Time now) {
  if (index(worker) < waits_.size()) waits_[index(worker)] = false;
  for (auto held = holdings_.first_of(worker); held != kNone; held = holdings_.first_of(worker))
    holdings_.remove(held);
  const auto lost = std::exchange(running_of(worker), {});
  for (const auto job : lost) {
    jobs_.erase(index(job));
    schedule(job, {}, now);
  }
  return lost;
}

void LocalPlacer::remove_artifact(WorkerId worker, ResultId artifact, Time) {
  if (const auto held = holdings_.find(worker, artifact); held != kNone) holdings_.remove(held);
}

std::optional<WorkerId> LocalPlacer::locate(ResultId artifact) const {
  const auto held = holdings_.first_of(artifact);
  if (held == kNone) return std::nullopt;
  return holdings_[held].worker;
}

bool LocalPlacer::schedule(ResultId job, std::span<const ResultId>, Time) {
  if (!jobs_.try_emplace(index(job), Job{false, {}, next_order_}).second) return false;
  line_.push_back({job, next_order_++});
  return true;
}

bool LocalPlacer::forget(ResultId job) {
  const auto found = jobs_.find(index(job));
  if (found == jobs_.end()) return false;
  if (found->second.is_running) std::erase(running_of(found->second.worker), job);
  jobs_.erase(found);
  return true;
}

bool LocalPlacer::withdraw(ResultId job, Time) { return forget(job); }

void LocalPlacer::drop_gone() {
  for (; !line_.empty(); line_.pop_front()) {
    const auto found = jobs_.find(index(line_.front().job));
    if (found != jobs_.end() && !found->second.is_running && found->second.order == line_.front().order)
      return;
  }
}

std::optional<Placer::Pick> LocalPlacer::pick(WorkerId worker, Time) {
  add_worker(worker);
  drop_gone();
  if (line_.empty()) {
    if (!waits_[index(worker)]) waiting_.push_back(worker);
    waits_[index(worker)] = true;
    return std::nullopt;
  }
  waits_[index(worker)] = false;
  const auto job = line_.front().job;
  line_.pop_front();
  auto& record = jobs_[index(job)];
  record.is_running = true;
  record.worker = worker;
  running_of(worker).push_back(job);
  return Pick{job, PlaceQueue::global};
}

bool LocalPlacer::complete(WorkerId worker, ResultId job, bool ok, Time now) {
  const auto found = jobs_.find(index(job));
  const bool is_own = found != jobs_.end() && found->second.is_running && found->second.worker == worker;
  const bool is_known = found != jobs_.end() && (ok || is_own);
  if (is_known) forget(job);
  if (ok) add_artifact(worker, job, now);
  return is_known;
}

std::optional<WorkerId> LocalPlacer::next_woken() {
  drop_gone();
  while (!line_.empty() && !waiting_.empty()) {
    const auto worker = waiting_.front();
    waiting_.pop_front();
    if (!waits_[index(worker)]) continue;
    waits_[index(worker)] = false;
    return worker;
  }
  return std::nullopt;
}

}  // namespace weir
