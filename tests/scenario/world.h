// A whole run in a few lines: elements with their facts, scripted jobs, virtual time, and the schedule as
// text.
//
//   Scenario s;
//   s.element("lib").element("app", {"lib"});
//   s.job("lib/build").takes(5s);
//   s.run({"fetch", "build"});
//   EXPECT_EQ(s.schedule(), "0s start lib/fetch\n...");
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/exec/bad_executor.h"
#include "core/exec/fake_executor.h"
#include "core/model/kind.h"
#include "core/scheduler/scheduler.h"
#include "core/scheduler/virtual_driver.h"
#include "queues/backends.h"
#include "queues/pipeline.h"

namespace weir::test {

using namespace std::chrono_literals;

// What is true of an element; jobs that succeed make it truer.
struct Facts {
  bool track = false;  // tracking is wanted
  bool ref = true;
  bool present = false;  // sources are here
  bool cached = false;
  bool can_pull = false;
  bool can_push = false;
  bool remote_has = false;
  Answer lookup = Answer::yes;                         // `later`: whether it is cached is not known yet
  Answer build = Answer::yes;                          // may_build
  QueueOpinion::Is opinion = QueueOpinion::Is::ready;  // of the queue of a plugin
  Answer tested = Answer::no;                          // whether that was done before
  bool wants_sources = false;                          // for it, although it is cached
};

// Of an element whose sources are here.
inline constexpr Facts kSources{.present = true};

class World final : public Sources, public Artifacts, public Remotes, public QueueWork, public LaterSources {
 public:
  std::vector<Facts> facts;
  std::vector<std::string> names;
  std::map<std::string, Limits> limits;             // by "element/queue"
  std::map<std::string, std::uint32_t> most_cores;  // likewise; of those that may grow
  bool must_push = false;
  bool reject_commits = false;

  bool tracking_wanted(ElementId e) const override { return of(e).track; }
  bool has_ref(ElementId e) const override { return of(e).ref; }
  Answer present(ElementId e) override { return of(e).present ? Answer::yes : Answer::no; }
  PlannedJob plan_track(ElementId e) const override { return plan(e, "track"); }
  PlannedJob plan_fetch(ElementId e) const override { return plan(e, "fetch"); }
  Status tracked(ElementId e, const JobResult&) override { return set(of(e).ref); }
  Status fetched(ElementId e, const JobResult&) override { return set(of(e).present); }
  Answer cached(ElementId e) override {
    if (of(e).lookup == Answer::later) return Answer::later;
    return of(e).cached ? Answer::yes : Answer::no;
  }
  Answer may_build(ElementId e) override { return of(e).build; }
  PlannedJob plan_build(ElementId e) const override { return plan(e, "build"); }
  Status built(ElementId e, const JobResult&) override {
    if (reject_commits) return fail(Reason::resources, "committing: No space left on device");
    return set(of(e).cached);
  }
  bool can_pull(ElementId e) const override { return of(e).can_pull; }
  bool can_push(ElementId e) const override { return of(e).can_push; }
  bool remote_has(ElementId e) const override { return of(e).remote_has; }
  bool push_required() const override { return must_push; }
  PlannedJob plan_pull(ElementId e) const override { return plan(e, "pull"); }
  PlannedJob plan_push(ElementId e) const override { return plan(e, "push"); }
  Status pulled(ElementId e, const JobResult&) override { return set(of(e).cached); }
  Why pushed(ElementId e, const JobResult&) override {
    of(e).remote_has = true;
    return Why::none;
  }
  Verdict opinion(ElementId e) override {
    auto verdict =
        of(e).opinion == QueueOpinion::Is::skip ? Verdict::skip(Why::plugin) : Verdict::never(Why::plugin);
    verdict.words = "the plugin says so";
    return of(e).opinion == QueueOpinion::Is::ready ? Verdict::ready() : verdict;
  }
  Answer done(ElementId e) override { return of(e).tested; }
  std::string key(ElementId) const override { return {}; }
  PlannedJob plan(ElementId e) const override { return plan(e, "test"); }
  Meaning on_result(ElementId, const JobResult& result) override {
    return {result.ending == Ending::succeeded ? Meaning::Kind::done : Meaning::Kind::fail};
  }
  Answer wants_sources(ElementId e) override { return of(e).wants_sources ? Answer::yes : Answer::no; }

 private:
  Facts& of(ElementId e) { return facts[index(e)]; }
  const Facts& of(ElementId e) const { return facts[index(e)]; }
  static Status set(bool& fact) {
    fact = true;
    return {};
  }
  PlannedJob plan(ElementId e, std::string_view queue) const {
    auto spec = std::make_shared<JobSpec>();
    spec->label = fmt::format("{}/{}", names[index(e)], queue);
    if (const auto found = limits.find(spec->label); found != limits.end()) spec->limits = found->second;
    if (const auto found = most_cores.find(spec->label); found != most_cores.end()) {
      spec->most_cores = found->second;
      spec->sharing = CoreSharing::pipe;
    }
    return spec;
  }
};

// How the jobs of one element in one queue behave, attempt by attempt; the last way is kept for further
// attempts.
class JobScript {
 public:
  JobScript& takes(Duration duration) { return last().duration = duration, *this; }
  JobScript& writes_every(Duration period) { return last().output_every = period, *this; }
  JobScript& dies_after(Duration duration) { return last().dies_after = duration, *this; }
  JobScript& keeps_cores(Duration duration) { return last().keeps_cores = duration, *this; }
  JobScript& fails(Failure failure) {
    last().result.ending = Ending::failed;
    last().result.failure = failure;
    last().result.exit = failure == Failure::command ? 1 : 0;
    return *this;
  }
  JobScript& then() {
    ways_.push_back({1s, {}, {}, {}});
    return *this;
  }
  FakeJob next() {
    const auto way = ways_.front();
    if (ways_.size() > 1) ways_.pop_front();
    return way;
  }

 private:
  FakeJob& last() { return ways_.back(); }
  std::deque<FakeJob> ways_{{1s, {}, {}, {}}};
};

// Writes the schedule as text: "2s start app/build", "3s end app/build failed command".
class ScheduleText final : public Observer {
 public:
  void on_event(const Event& event) override;
  std::string text;
  bool with_waits = false;
  bool with_states = false;
  bool with_workers = false;  // where jobs run, what becomes of workers, and what is moved between them

 private:
  std::map<std::uint64_t, std::string> jobs_;
};

class Scenario {
 public:
  Scenario() {
    for (const auto& [name, count] : {std::pair{"process", 2}, {"download", 10}, {"upload", 4}, {"cache", 8}})
      ledger.add(name, count);
  }

  Scenario& element(std::string name, std::vector<std::string> depends = {}, Facts facts = {},
                    std::vector<std::string> runtime = {});
  // Marks the elements that are wanted; all of them if never called.
  Scenario& want(std::vector<std::string> names) { return wanted_ = std::move(names), *this; }
  Scenario& tokens(std::string_view name, std::int64_t count) {
    if (const auto token = ledger.find(name)) {
      (void)ledger.set_capacity(*token, count);
    } else {
      ledger.add(name, count);
    }
    return *this;
  }
  struct Need {
    std::string token;
    std::int64_t amount = 1;
    bool exclusive = false;
  };
  Scenario& needs(std::string element, std::vector<Need> needs) {
    return needs_[std::move(element)] = std::move(needs), *this;
  }
  Scenario& in_lane(std::string element, std::string lane, std::string group, Access access) {
    lane_asks_[std::move(element)].push_back({lanes.lane(lane), lanes.group(group), access});
    return *this;
  }
  JobScript& job(const std::string& label) { return scripts_[label]; }
  // An order at a moment of the run.
  Scenario& at(Duration when, LoopInput order) { return orders_.push_back({when, std::move(order)}), *this; }
  Scenario& after(Duration when, std::function<void(Scheduler&)> what) {
    return calls_.push_back({when, std::move(what)}), *this;
  }
  // Jobs are placed: by these, on these workers. Each worker has an executor of its own.
  struct WorkerPlan {
    std::string name;
    std::int64_t slots = 1;
    std::optional<BadExecutor::Faults> faults = {};
  };
  Scenario& placed(std::unique_ptr<Allocator> allocator, std::unique_ptr<Placer> placer,
                   std::vector<WorkerPlan> workers) {
    allocator_ = std::move(allocator);
    placer_ = std::move(placer);
    workers_ = std::move(workers);
    return *this;
  }
  std::vector<ElementId> ids(const std::vector<std::string>& names) const {
    std::vector<ElementId> all;
    for (const auto& name : names) all.push_back(ids_.at(name));
    return all;
  }
  // Runs to the end; false if the run hangs.
  bool run(std::vector<std::string_view> queues);
  const std::string& schedule() const { return text.text; }
  const RunSummary& summary() const { return *summary_; }
  std::string final_phases() const { return phases_; }

  Ledger ledger;
  Lanes lanes;
  World world;
  SchedulerOptions options;
  RetryPolicy retry = RetryPolicy::defaults();
  std::optional<BadExecutor::Faults> faults;
  std::vector<std::uint32_t> weights;  // recorded durations in milliseconds, by element; none: all alike
  PressureSource* pressure = nullptr;  // of memory; none: there is no brake
  CoreLender* lender = nullptr;
  bool share_one_token = false;  // download and upload are one and the same token
  ScheduleText text;
  std::vector<Observer*> observers;
  VirtualClock clock;

 private:
  JobNeeds usual(std::string_view token);
  NeedsTable build_needs();

  Graph graph_;
  std::map<std::string, ElementId> ids_;
  std::vector<std::string> wanted_;
  std::map<std::string, std::vector<Need>> needs_;
  std::map<std::string, std::vector<LaneAsk>> lane_asks_;
  std::map<std::string, JobScript> scripts_;
  std::vector<std::pair<Duration, LoopInput>> orders_;
  std::vector<std::pair<Duration, std::function<void(Scheduler&)>>> calls_;
  std::unique_ptr<Allocator> allocator_;
  std::unique_ptr<Placer> placer_;
  std::vector<WorkerPlan> workers_;
  std::optional<RunSummary> summary_;
  std::string phases_;
};

}  // namespace weir::test
