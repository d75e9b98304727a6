// Cores of running jobs. A job has those of its request from start to end. While nothing that is ready can
// use a core, jobs that may have more get it; as soon as something lacks one, they are asked for it. What a
// job still uses stays reserved until it is back, so there are never more in use than there are.
#include <algorithm>

#include "core/base/assert.h"
#include "core/scheduler/scheduler.h"

namespace weir {

std::int64_t Scheduler::least_cores(const RunningJob& job) const {
  for (const auto& need : ledger_.needs(job.tokens.request()))
    if (need.token == *cores_) return need.amount;
  return 0;
}

std::int64_t Scheduler::cores_of(const RunningJob& job) const {
  return least_cores(job) + static_cast<std::int64_t>(job.grown.size());
}

bool Scheduler::may_grow(const RunningJob& job) const {
  if (!one_core_ || !job.spec || job.spec->sharing == CoreSharing::none) return false;
  const auto least = least_cores(job);
  return least >= job.spec->limits.cores && least < job.spec->most_cores;
}

void Scheduler::begin_cores(RunningJob& job) {
  if (!one_core_ || job.spec->sharing == CoreSharing::none) return;
  elastic_ += may_grow(job);
  // It was planned when there were more. Such a job does not grow either.
  if (const auto least = least_cores(job); least > 0 && least < job.spec->limits.cores)
    executor_of(job).set_cores(job.id, static_cast<std::uint32_t>(least));
}

void Scheduler::take_loan() {
  if (lender_ && cores_) ledger_.set_allowance(*cores_, lender_->cores());
}

// Comes after all that could be started was started.
void Scheduler::share_cores() {
  if (!one_core_ || (elastic_ == 0 && !lender_)) return;
  std::int64_t lacking = 0;
  for (const auto& queue : ready_) lacking += queue.lacking(*cores_, epoch_, ledger_);
  const auto missing = lacking - ledger_.free(*cores_);
  if (missing > 0) shrink(missing);
  else if (!paused_) grow();
  if (!lender_) return;
  auto useful = ledger_.used(*cores_) + lacking;
  running_.for_each([&](const RunningJob& job) {
    if (may_grow(job) && !job.suspended && !job.stopping && job.asked_back == 0)
      useful += job.spec->most_cores - cores_of(job);
  });
  lender_->want(std::min(useful, std::max(ledger_.capacity(*cores_), ledger_.used(*cores_))));
}

// One by one, to whoever has the fewest; among those to the one that is longest of way.
void Scheduler::grow() {
  if (elastic_ == 0 || ledger_.free(*cores_) <= 0) return;
  std::vector<RunningJob*> grown;
  for (;;) {
    RunningJob* next = nullptr;
    running_.for_each([&](RunningJob& job) {
      if (!may_grow(job) || job.suspended || job.stopping || job.asked_back > 0 ||
          cores_of(job) >= job.spec->most_cores)
        return;
      const auto rank = [&](const RunningJob& one) {
        return std::pair(cores_of(one), order_.position(one.element));
      };
      if (!next || rank(job) < rank(*next)) next = &job;
    });
    auto core = next ? ledger_.try_reserve(*one_core_, {}) : Ledger::Reservation();
    if (!core) break;
    next->grown.push_back(std::move(core));
    if (std::find(grown.begin(), grown.end(), next) == grown.end()) grown.push_back(next);
  }
  for (auto* job : grown) {
    report_cores(*job);
    executor_of(*job).set_cores(job->id, static_cast<std::uint32_t>(cores_of(*job)));
  }
}

// What was asked for before is on its way. Whoever has the most beyond its least is asked first, and the
// newest of those.
void Scheduler::shrink(std::int64_t cores) {
  running_.for_each([&](const RunningJob& job) { cores -= static_cast<std::int64_t>(job.asked_back); });
  std::vector<std::pair<RunningJob*, std::size_t>> asked;  // and how many it is asked for
  running_.for_each([&](RunningJob& job) {
    if (job.grown.size() > job.asked_back && !job.stopping) asked.emplace_back(&job, 0);
  });
  for (; cores > 0; --cores) {
    std::size_t most = 0;
    std::pair<RunningJob*, std::size_t>* next = nullptr;
    for (auto& one : asked) {
      const auto left = one.first->grown.size() - one.first->asked_back - one.second;
      if (left > 0 && left >= most) next = &one, most = left;
    }
    if (!next) break;
    ++next->second;
  }
  for (const auto& [job, count] : asked) ask_back(*job, count);
}

void Scheduler::ask_back(RunningJob& job, std::size_t cores) {
  cores = std::min(cores, job.grown.size() - job.asked_back);
  if (cores == 0) return;
  job.asked_back += cores;
  executor_of(job).set_cores(
      job.id, static_cast<std::uint32_t>(cores_of(job) - static_cast<std::int64_t>(job.asked_back)));
}

void Scheduler::cores_came_back(const input::JobCores& news) {
  auto* job = running(news.job);
  if (!job) return;
  const auto before = job->grown.size();
  // Never more than was asked for, whatever an executor says.
  while (job->asked_back > 0 && cores_of(*job) > news.cores) {
    job->grown.pop_back();
    --job->asked_back;
  }
  if (job->grown.size() != before) report_cores(*job);
}

void Scheduler::report_cores(const RunningJob& job) {
  events_.emit([&] { return event::JobCores{index(job.id), static_cast<std::uint64_t>(cores_of(job))}; });
}

}  // namespace weir
