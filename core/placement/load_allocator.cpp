#include "core/placement/load_allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/assert.h"
#include "core/placement/load_settings_json.h"

namespace weir {

namespace {

constexpr auto kNobody = ClassTournament::kNobody;

Status check_load(const LoadClass& one) {
  if (!one.load.is_negative()) return {};
  return fail(Reason::usage, fmt::format("the load of class \"{}\" is negative", one.name),
              "a load is 0 or more");
}

Status check_threshold(const Decimal& percent) {
  if (!percent.is_negative()) return {};
  return fail(Reason::usage, "the threshold of rebalancing is negative",
              "it is a percentage of the workers, 0 or more");
}

Status check_duration(Duration duration) {
  if (duration >= Duration::zero()) return {};
  return fail(Reason::usage, "the minimum duration before rebalancing is negative", "it is 0 or more");
}

Status check_classes(const std::vector<LoadClass>& classes) {
  if (classes.empty()) return fail(Reason::usage, "there are no classes", "name at least one");
  std::set<std::string_view> names;
  for (const auto& one : classes) {
    if (!names.insert(one.name).second)
      return fail(Reason::usage, fmt::format("two classes are called \"{}\"", one.name));
    if (const auto checked = check_load(one); !checked) return checked;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<LoadAllocator>> LoadAllocator::make(LoadSettings settings) {
  for (const auto& checked : {check_classes(settings.classes), check_threshold(settings.threshold),
                              check_duration(settings.min_duration)})
    if (!checked) return tl::unexpected(checked.error());
  return std::unique_ptr<LoadAllocator>(new LoadAllocator(std::move(settings)));
}

LoadAllocator::LoadAllocator(LoadSettings settings) : settings_(std::move(settings)) {
  const auto size = settings_.classes.size();
  jobs_.resize(size);
  stopping_.resize(size, 0);
  tournament_.resize(size);
  builds_.resize(size);
  loads_changed();
}

void LoadAllocator::loads_changed() {
  std::vector<Decimal> loads;
  for (const auto& one : settings_.classes) loads.push_back(one.load);
  weights_ = Weights::of(loads);
  load_rank_.assign(loads.size(), 0);
  const auto order = weights_.larger_first();
  std::uint32_t rank = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    if (i + 1 < order.size() && loads[order[i]] != loads[order[i + 1]]) ++rank;
    load_rank_[order[i]] = rank;
  }
  smallest_ = static_cast<std::uint32_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
  retarget();
}

void LoadAllocator::retarget() {
  const std::vector<ClassJobs> nobody(jobs_.size());
  const auto by_load = targets(workers_, weights_, nobody);
  targets_follow_activity_ = false;
  for (std::size_t i = 0; i < by_load.size(); ++i)
    if (by_load[i] == 0 && !weights_.is_zero(i)) targets_follow_activity_ = true;
  target_ = targets_follow_activity_ ? targets(workers_, weights_, jobs_) : by_load;
  least_spread_ = least_spread_above(settings_.threshold, workers_);
  plan_.total = 0;
  for (std::uint32_t c = 0; c < jobs_.size(); ++c) refresh(c);
}

void LoadAllocator::refresh(std::uint32_t c) {
  const bool background = weights_.is_zero(c);
  tournament_.set(
      c, {.waits = jobs_[c].waiting > 0,
          .is_background = background,
          .counts_for_spread = !background && workers_ > 0 && counts_for_spread(target_[c], jobs_[c]),
          .lack = target_[c] - jobs_[c].running,
          .load_rank = load_rank_[c]});
}

void LoadAllocator::set_workers(std::int64_t workers, std::int64_t idle) {
  WEIR_ASSERT(idle >= 0 && workers >= 0, "{} workers, {} idle", workers, idle);
  const bool same = workers == workers_;
  workers_ = workers;
  idle_ = idle;
  plan_.total = 0;
  if (!same) retarget();
}

void LoadAllocator::change(ClassId work_class, BuildId build, std::int64_t running, std::int64_t waiting,
                           std::int64_t idle) {
  builds_.change(work_class, build, running, waiting);
  count(index(work_class), running, builds_.is_blocked(build) ? 0 : waiting, idle);
}

// What waits in a blocked build is known to the rotation only: for all else it is not there.
void LoadAllocator::set_blocked(ClassId work_class, BuildId build, bool blocked) {
  if (builds_.is_blocked(build) == blocked) return;
  const auto waiting = builds_.waiting(build);
  builds_.set_blocked(work_class, build, blocked);
  count(index(work_class), 0, blocked ? -waiting : waiting, 0);
}

void LoadAllocator::count(std::uint32_t c, std::int64_t running, std::int64_t waiting, std::int64_t idle) {
  auto& jobs = jobs_[c];
  const bool was_active = jobs.is_active(), had_waiting = jobs.waiting > 0;
  jobs.running += running;
  jobs.waiting += waiting;
  waiting_ += waiting;
  idle_ += idle;
  plan_.total = 0;
  if (targets_follow_activity_ && jobs.is_active() != was_active) retarget();
  else if (running != 0 || (jobs.waiting > 0) != had_waiting) refresh(c);
}

void LoadAllocator::job_started(ClassId work_class, BuildId build) {
  const auto c = index(work_class);
  WEIR_ASSERT(idle_ > 0, "a job of class {} starts where no worker is idle", c);
  auto& plan = rebalance_plan_.total > 0 ? rebalance_plan_ : plan_;
  // A start by the plan is no news to it.
  const auto left = plan_.total;
  change(work_class, build, +1, -1, -1);
  plan_.total = left;
  if (plan.total > 0 && plan.left[c] > 0) {
    --plan.left[c];
    --plan.total;
  } else {
    plan_.total = 0;
  }
}

void LoadAllocator::job_ended(ClassId work_class, BuildId build) {
  change(work_class, build, -1, 0, +1);
  // One that was to be stopped may have ended by itself.
  auto& stopping = stopping_[index(work_class)];
  stopping = std::min(stopping, jobs_[index(work_class)].running);
}

void LoadAllocator::job_requeued(ClassId work_class, BuildId build) {
  change(work_class, build, -1, +1, +1);
  auto& stopping = stopping_[index(work_class)];
  if (stopping > 0) --stopping;
}

std::optional<Allocator::Start> LoadAllocator::next() {
  const auto c = choose();
  if (c == kNobody) return std::nullopt;
  return Start{ClassId{c}, builds_.first(ClassId{c})};
}

std::uint32_t LoadAllocator::choose() {
  if (idle_ == 0 || waiting_ == 0) return kNobody;
  if (const auto c = choose_rebalanced(); c != kNobody) return c;
  const auto& first = tournament_.winners();
  if (plan_.total == 0) {
    if (waiting_ <= idle_) return first.borrower != kNobody ? first.borrower : first.background;
    if (idle_ == 1 && first.entitled != kNobody) return first.entitled;
    if (idle_ == 1 && settings_.loans == Loans::plain)
      return first.borrower != kNobody ? first.borrower : first.background;
  }
  return choose_planned();
}

std::uint32_t LoadAllocator::choose_rebalanced() {
  auto& plan = rebalance_plan_;
  while (plan.total > 0) {
    if (plan.left[plan.at] > 0 && jobs_[plan.at].waiting > 0) return plan.at;
    // Its jobs were withdrawn: what it was to have is for all.
    plan.total -= plan.left[plan.at];
    plan.left[plan.at] = 0;
    ++plan.at;
  }
  return kNobody;
}

std::uint32_t LoadAllocator::choose_planned() {
  if (plan_.total == 0) {
    plan_.left = starts(idle_, settings_.loans, weights_, target_, jobs_);
    plan_.total = 0;
    for (const auto count : plan_.left) plan_.total += count;
    plan_.at = 0;
  }
  if (plan_.total == 0) return kNobody;
  while (plan_.left[plan_.at] == 0) ++plan_.at;
  return plan_.at;
}

std::vector<Allocator::Stop> LoadAllocator::to_stop(Time now) {
  if (spread() < least_spread_) {
    over_since_.reset();
    return {};
  }
  if (!over_since_) over_since_ = now;
  if (now - *over_since_ < settings_.min_duration) return {};
  over_since_.reset();
  const auto wanted = from_scratch(idle_, settings_.loans, weights_, target_, jobs_);
  std::vector<Stop> stops;
  rebalance_plan_ = {std::vector<std::int64_t>(wanted.size(), 0), 0, 0};
  for (std::uint32_t c = 0; c < wanted.size(); ++c) {
    const auto beyond = jobs_[c].running - wanted[c];
    if (beyond > stopping_[c]) {
      stops.push_back({ClassId{c}, beyond - stopping_[c]});
      stopping_[c] = beyond;
    }
    rebalance_plan_.left[c] = std::max<std::int64_t>(0, -beyond);
    rebalance_plan_.total += rebalance_plan_.left[c];
  }
  return stops;
}

std::optional<Time> LoadAllocator::next_check() const {
  if (!over_since_) return std::nullopt;
  return *over_since_ + settings_.min_duration;
}

std::optional<std::uint32_t> LoadAllocator::find(std::string_view name) const {
  for (std::uint32_t c = 0; c < settings_.classes.size(); ++c)
    if (settings_.classes[c].name == name) return c;
  return std::nullopt;
}

Status LoadAllocator::set_loads(const std::vector<LoadClass>& loads) {
  if (const auto checked = check_classes(loads); !checked) return checked;
  auto changed = settings_.classes;
  for (const auto& one : loads) {
    const auto c = find(one.name);
    if (!c) return fail(Reason::usage, fmt::format("there is no class \"{}\"", one.name));
    changed[*c].load = one.load;
  }
  settings_.classes = std::move(changed);
  loads_changed();
  return {};
}

Status LoadAllocator::set_requestors(std::vector<RequestorRule> rules) {
  std::vector<std::uint32_t> classes;
  for (const auto& rule : rules) {
    const auto c = find(rule.class_name);
    if (!c) return fail(Reason::usage, fmt::format("there is no class \"{}\"", rule.class_name));
    classes.push_back(*c);
  }
  auto made = RequestorMap::make(std::move(rules));
  if (!made) return tl::unexpected(made.error());
  requestors_ = std::move(*made);
  requestor_classes_ = std::move(classes);
  return {};
}

Status LoadAllocator::set_threshold(const Decimal& percent) {
  if (const auto checked = check_threshold(percent); !checked) return checked;
  settings_.threshold = percent;
  least_spread_ = least_spread_above(percent, workers_);
  return {};
}

Status LoadAllocator::set_min_duration(Duration duration) {
  if (const auto checked = check_duration(duration); !checked) return checked;
  settings_.min_duration = duration;
  return {};
}

ClassId LoadAllocator::class_of(std::string_view requestor) const {
  const auto rule = requestors_.match(requestor);
  return ClassId{rule ? requestor_classes_[*rule] : smallest_};
}

std::string LoadAllocator::class_name(ClassId work_class) const {
  return index(work_class) < settings_.classes.size() ? settings_.classes[index(work_class)].name
                                                      : std::string();
}

std::string LoadAllocator::settings() const { return load_settings_json(*this); }

Status LoadAllocator::set(std::string_view name, std::string_view json) {
  return set_load_setting(*this, name, json);
}

}  // namespace weir
