#include "core/report/run_picture.h"

#include <algorithm>
#include <cmath>

#include "core/model/event_limits.h"

namespace weir {

Duration from_seconds(double seconds) {
  constexpr double kMostSeconds = std::chrono::duration<double>(kLongestRun).count();
  if (std::isnan(seconds)) return {};
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::clamp(seconds, -kMostSeconds, kMostSeconds)));
}

namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

struct RunPicture::Visitor {
  RunPicture& self;
  Duration now;

  void operator()(const event::RunStart& start) {
    self.number_ = start.run;
    self.project_ = start.project.text;
  }
  void operator()(const event::RunPlan& plan) {
    for (const auto name : plan.queues) self.queue(name);
    for (const auto& [name, capacity] : plan.tokens) self.token(name).capacity = capacity;
  }
  void operator()(const event::JobWait& wait) {
    self.wait_ = Wait{wait.job,
                      std::string(wait.element),
                      std::string(wait.queue),
                      std::string(wait.what),
                      std::string(wait.name.text),
                      wait.need,
                      wait.free};
  }
  void operator()(const event::JobStart& start) {
    Job job{start.job,
            std::string(start.element),
            std::string(start.queue),
            std::string(start.worker),
            start.attempt,
            {},
            start.expected,
            start.rest,
            now,
            {}};
    for (const auto& [name, amount] : start.tokens) job.tokens.emplace_back(name, amount);
    self.hold(job, 1);
    ++self.queue(start.queue).running;
    self.forget_wait(start.job);
    self.running_.insert_or_assign(start.job, std::move(job));
  }
  void operator()(const event::JobSuspend& suspend) {
    const auto at = self.running_.find(suspend.job);
    if (at == self.running_.end() || at->second.suspended) return;
    at->second.before = at->second.ran(now);
    at->second.suspended = true;
  }
  void operator()(const event::JobResume& resume) {
    const auto at = self.running_.find(resume.job);
    if (at == self.running_.end()) return;
    at->second.suspended = false;
    at->second.since = now;
  }
  void operator()(const event::JobStop& stop) {
    if (const auto at = self.running_.find(stop.job); at != self.running_.end()) at->second.stopping = true;
  }
  void operator()(const event::JobCores& change) {
    const auto at = self.running_.find(change.job);
    if (at == self.running_.end()) return;
    auto& tokens = at->second.tokens;
    const auto cores =
        std::find_if(tokens.begin(), tokens.end(), [](const auto& one) { return one.first == kCores; });
    if (cores == tokens.end()) return;
    const auto now_has = static_cast<std::int64_t>(std::min<std::uint64_t>(change.cores, kMostAmount));
    auto& used = self.token(kCores).used;
    used = add_amounts(used, now_has - cores->second);
    cores->second = now_has;
  }
  void operator()(const event::JobEnd& end) {
    self.forget_wait(end.job);
    const auto at = self.running_.find(end.job);
    if (at == self.running_.end()) return;
    self.hold(at->second, -1);
    --self.queue(end.queue).running;
    self.running_.erase(at);
  }
  void operator()(const event::ElementState& state) {
    auto& element = self.elements_[std::string(state.element)];
    auto& queue = self.queue(state.queue);
    const bool last = &queue == &self.queues_.back();
    if (state.status == "wait" || state.status == "ready") {
      if (state.expected) self.expect(element, *state.expected);
      if (state.queue == kMakes) self.set_outstanding(element, true);
      return;
    }
    if (state.queue == kMakes) self.set_outstanding(element, false);
    queue.done += state.status == "done";
    queue.skipped += state.status == "skip";
    queue.failed += state.status == "failed";
    self.failed_ += state.status == "failed";
    if (last || (state.status != "done" && state.status != "skip")) self.settle(element);
  }
  void operator()(const event::Control& control) {
    if (control.what == "tokens" && control.value) self.token(control.name.text).capacity = *control.value;
  }
  template <class Other>
  void operator()(const Other&) {}
};

void RunPicture::on_event(const Event& event) { std::visit(Visitor{*this, event.since_start}, event.body); }

RunPicture::QueueCounts& RunPicture::queue(std::string_view name) {
  const auto at =
      std::find_if(queues_.begin(), queues_.end(), [&](const auto& one) { return one.name == name; });
  if (at != queues_.end()) return *at;
  queues_.push_back({std::string(name)});
  return queues_.back();
}

RunPicture::Token& RunPicture::token(std::string_view name) {
  const auto at =
      std::find_if(tokens_.begin(), tokens_.end(), [&](const auto& one) { return one.name == name; });
  if (at != tokens_.end()) return *at;
  tokens_.push_back({std::string(name)});
  return tokens_.back();
}

void RunPicture::hold(const Job& job, std::int64_t sign) {
  for (const auto& [name, amount] : job.tokens) {
    auto& used = token(name).used;
    used = add_amounts(used, sign * cut_amount(amount));
  }
}

void RunPicture::forget_wait(std::uint64_t job) {
  if (wait_ && wait_->job == job) wait_.reset();
}

void RunPicture::settle(Element& element) {
  settled_ += !element.settled;
  element.settled = true;
}

void RunPicture::expect(Element& element, double expected) {
  const bool counted = element.outstanding;
  set_outstanding(element, false);
  element.expected = expected;
  set_outstanding(element, counted);
}

void RunPicture::set_outstanding(Element& element, bool outstanding) {
  if (element.outstanding == outstanding) return;
  element.outstanding = outstanding;
  if (!element.expected) {
    outstanding ? ++unknown_ : --unknown_;
    return;
  }
  outstanding ? ++known_ : --known_;
  known_seconds_ += outstanding ? *element.expected : -*element.expected;
}

bool RunPicture::all_suspended() const {
  return !running_.empty() &&
         std::all_of(running_.begin(), running_.end(), [](const auto& one) { return one.second.suspended; });
}

const RunPicture::Job* RunPicture::critical(Duration now) const {
  const Job* longest = nullptr;
  double most = 0;
  for (const auto& [id, job] : running_) {
    if (!job.rest) continue;
    const double left = *job.rest - seconds(job.ran(now));
    if (longest && left <= most) continue;
    longest = &job;
    most = left;
  }
  return longest;
}

// The longer one of what is on the longest way and of all work on all cores. What nobody has made before is
// taken to be like the rest.
std::optional<Duration> RunPicture::estimate(Duration now) const {
  if (known_ == 0) return std::nullopt;
  const double average = known_seconds_ / static_cast<double>(known_);
  double work = known_seconds_ + average * static_cast<double>(unknown_), way = 0;
  for (const auto& [id, job] : running_) {
    if (job.queue != kMakes) continue;
    const double expected = job.expected.value_or(average), ran = seconds(job.ran(now));
    work -= std::min(expected, ran);
    if (job.expected && job.rest) way = std::max(way, *job.rest - ran);
  }
  const auto cores =
      std::find_if(tokens_.begin(), tokens_.end(), [](const auto& one) { return one.name == kCores; });
  const auto at_once = cores == tokens_.end() ? 1 : std::max<std::int64_t>(1, cores->capacity);
  const double left = std::max(way, work / static_cast<double>(at_once));
  if (left <= 0) return std::nullopt;  // overdue
  return from_seconds(left);
}

}  // namespace weir
