// Memory: who is held back although its tokens are there, and who runs again alone.
#include <algorithm>

#include "core/scheduler/scheduler.h"

namespace weir {

namespace {

bool asks_for(std::span<const TokenNeed> needs, std::optional<TokenId> token) {
  return token &&
         std::any_of(needs.begin(), needs.end(), [&](const TokenNeed& need) { return need.token == *token; });
}

}  // namespace

// Jobs that compute, as opposed to those that move files: they have a core or say what memory they take.
bool Scheduler::computes(RequestId request) const {
  const auto needs = ledger_.needs(request);
  return asks_for(needs, machine_.process) || asks_for(needs, machine_.memory);
}

bool Scheduler::need_is_unknown(RequestId request) const {
  const auto needs = ledger_.needs(request);
  return asks_for(needs, machine_.process) && !asks_for(needs, machine_.memory);
}

// Besides who asks for that.
bool Scheduler::others_compute(RequestId request) const {
  const auto held_by_others = [&](std::optional<TokenId> token) {
    if (!token) return false;
    auto used = ledger_.used(*token);
    for (const auto& need : ledger_.needs(request))
      if (need.token == *token) used -= need.amount;
    return used > 0;
  };
  return held_by_others(machine_.process) || held_by_others(machine_.memory);
}

// The bucket's first job has its tokens, and gives them back if this says so. The only job that runs is never
// held back: then nothing would ever change.
bool Scheduler::hold_back_for_memory(std::size_t queue, ReadyJobs::Best best) {
  auto& bucket = *best.bucket;
  if (!computes(bucket.request) || !others_compute(bucket.request)) return false;
  std::string_view reason;
  if (brake_ && brake_->holds(now_)) reason = "pressure";
  else if (need_is_unknown(bucket.request) &&
           !caution_.allows(unknown_running_ + (placing_ ? placing_->tokens.size() : 0)))
    reason = "caution";
  if (reason.empty()) return false;
  ready_[queue].put_off(bucket, epoch_);
  report_memory_wait(bucket, order_.at(best.position), reason);
  // A job that ends makes everybody look again; only pressure ends without one.
  if (reason == "pressure" && memory_timer_ == TimerQueue::Id::none)
    memory_timer_ = set_timer(brake_->next_look(), Timer::memory, 0);
  return true;
}

void Scheduler::report_memory_wait(ReadyJobs::Bucket& bucket, ElementId element, std::string_view reason) {
  const auto job = flow_.table().job(element);
  if (bucket.told == job && bucket.told_what == reason) return;
  bucket.told = job;
  bucket.told_what = reason;
  events_.emit([&] {
    event::JobWait wait;
    wait.job = index(job);
    wait.element = graph_.name(element);
    wait.queue = flow_.queue_of(element).name();
    wait.what = "memory";
    wait.name.text = reason;
    return wait;
  });
}

void Scheduler::note_memory(const RunningJob& job, const JobResult& result) {
  const auto request = job.tokens.request();
  if (result.failure == Failure::oom && unknown_running_ > 0) caution_.killed(unknown_running_);
  if (!need_is_unknown(request)) return;
  --unknown_running_;
  if (result.ending == Ending::succeeded) caution_.ended_well();
}

// What the element's next job asks for. Changes only while it is in no line.
RequestId Scheduler::request_of(ElementId element) {
  const auto usual = flow_.queue_of(element).needs(element).tokens;
  if (attempts_.empty()) return usual;
  const auto attempts = attempts_.find(index(element));
  return attempts != attempts_.end() && attempts->second.alone ? *attempts->second.alone : usual;
}

// With all cores and all memory to itself: what killed it once may have been the others. Where that cannot be
// had (somebody has taken tokens away meanwhile) it asks for what it asked for before.
RequestId Scheduler::alone(RequestId usual) {
  const auto before = ledger_.needs(usual);
  std::vector<TokenNeed> needs(before.begin(), before.end());
  for (const auto token : {machine_.process, machine_.memory}) {
    if (!token) continue;
    const auto own =
        std::find_if(needs.begin(), needs.end(), [&](const TokenNeed& need) { return need.token == *token; });
    if (own != needs.end()) own->exclusive = true;
    else needs.push_back({*token, 1, true});
  }
  return ledger_.intern(needs).value_or(usual);
}

}  // namespace weir
