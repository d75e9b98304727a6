// Runs whose jobs are placed: shares of classes, rebalancing, workers that come and go, artifacts that stay
// where they are.
#include <gtest/gtest.h>

#include "core/placement/cache_placer.h"
#include "core/placement/load_allocator.h"
#include "core/placement/local_placer.h"
#include "core/placement/none_allocator.h"
#include "tests/scenario/world.h"

namespace weir::test {
namespace {

std::unique_ptr<LoadAllocator> by_load(std::int64_t ci, std::int64_t dev, Duration rebalance_after = 2s) {
  auto made = LoadAllocator::make(
      {{{"ci", Decimal(ci)}, {"dev", Decimal(dev)}}, Loans::plain, Decimal(20), rebalance_after});
  EXPECT_TRUE((*made)->set_requestors({{"ci", "ci"}, {"dev", ".*"}}).has_value());
  return std::move(*made);
}

// Seconds of running time by class, within a window of the run.
class Shares final : public Observer {
 public:
  Shares(Duration from, Duration to) : from_(from), to_(to) {}
  void on_event(const Event& event) override {
    if (const auto* start = event.as<event::JobStart>()) {
      open_[start->job] = {std::string(start->job_class.text), event.since_start};
    } else if (const auto* end = event.as<event::JobEnd>()) {
      const auto job = open_.extract(end->job);
      if (job.empty()) return;
      const auto begun = std::max(job.mapped().second, from_), ended = std::min(event.since_start, to_);
      if (ended > begun) seconds_[job.mapped().first] += std::chrono::duration<double>(ended - begun).count();
    }
  }
  double of(const std::string& name) {
    double all = 0;
    for (const auto& [one, seconds] : seconds_) all += seconds;
    return all > 0 ? seconds_[name] / all : 0;
  }

 private:
  Duration from_, to_;
  std::map<std::uint64_t, std::pair<std::string, Duration>> open_;
  std::map<std::string, double> seconds_;
};

// ci asks for c0.., dev for d0..; each job takes a second.
Scenario& two_requestors(Scenario& s, int ci_jobs, int dev_jobs) {
  std::vector<std::string> ci, dev;
  for (int i = 0; i < ci_jobs; ++i) s.element(ci.emplace_back(fmt::format("c{}", i)));
  for (int i = 0; i < dev_jobs; ++i) s.element(dev.emplace_back(fmt::format("d{}", i)));
  s.tokens("process", 4).want(ci);
  s.options.requestor = "ci";
  s.at(0s, input::Submit{"anybody", s.ids(dev)});
  return s;
}

TEST(Placement, two_requestors_share_by_their_loads) {
  Scenario s;
  two_requestors(s, 300, 300).placed(by_load(75, 25), std::make_unique<LocalPlacer>(), {{"local", 4}});
  Shares shares(0s, 100s);
  s.observers.push_back(&shares);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_NEAR(shares.of("ci"), 0.75, 0.02);
  EXPECT_NEAR(shares.of("dev"), 0.25, 0.02);
  EXPECT_EQ(s.summary().exit, 0);
}

TEST(Placement, loads_that_change_are_followed_within_the_rebalance_duration) {
  Scenario s;
  // Long jobs: without stopping some, nothing would change before they end.
  two_requestors(s, 20, 20).placed(by_load(75, 25), std::make_unique<LocalPlacer>(), {{"local", 4}});
  for (int i = 0; i < 20; ++i) {
    s.job(fmt::format("c{}/build", i)).takes(100s);
    s.job(fmt::format("d{}/build", i)).takes(100s);
  }
  s.after(10s, [](Scheduler& scheduler) {
    ASSERT_TRUE(scheduler.set_placement("loads", R"({"ci": 25, "dev": 75})").has_value());
  });
  Shares before(3s, 10s), after(12s, 100s);
  s.observers = {&before, &after};
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_NEAR(before.of("ci"), 0.75, 0.01);
  EXPECT_NEAR(after.of("dev"), 0.75, 0.01);
  // The newest two of the class that is over its share now; they start again later and are charged no
  // attempt.
  EXPECT_NE(s.schedule().find("12s stop c2/build preempted"), std::string::npos) << s.schedule();
  EXPECT_NE(s.schedule().find("12s stop c1/build preempted"), std::string::npos);
  EXPECT_EQ(s.schedule().find("stop c0/build"), std::string::npos);
  EXPECT_EQ(s.schedule().find("attempt 2"), std::string::npos);
  EXPECT_EQ(s.summary().exit, 0);
  EXPECT_EQ(s.summary().counts.built, 40u);
}

TEST(Placement, who_has_no_work_leaves_all_to_the_other) {
  Scenario s;
  two_requestors(s, 400, 4).placed(by_load(25, 75), std::make_unique<LocalPlacer>(), {{"local", 4}});
  Shares alone(4s, 50s);
  s.observers.push_back(&alone);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(alone.of("ci"), 1.0);
  // 404 jobs of a second on four places: nothing was idle.
  EXPECT_EQ(std::chrono::duration<double>(s.summary().wall).count(), 101.0);
}

TEST(Placement, a_build_that_lacks_a_token_does_not_hold_up_the_others) {
  Scenario s;
  s.tokens("license", 1).tokens("process", 4);
  for (int i = 0; i < 3; ++i)
    s.element(fmt::format("c{}", i)).needs(fmt::format("c{}", i), {{"process"}, {"license"}});
  for (int i = 0; i < 3; ++i) s.element(fmt::format("d{}", i));
  s.want({"c0", "c1", "c2"}).at(0s, input::Submit{"anybody", s.ids({"d0", "d1", "d2"})});
  s.options.requestor = "ci";
  s.placed(by_load(90, 10), std::make_unique<LocalPlacer>(), {{"local", 4}});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start c0/build\n0s start d0/build\n0s start d1/build\n0s start d2/build\n"
            "1s end c0/build succeeded\n1s end d0/build succeeded\n1s end d1/build succeeded\n1s end "
            "d2/build succeeded\n"
            "1s start c1/build\n2s end c1/build succeeded\n2s start c2/build\n3s end c2/build succeeded\n");
}

Scenario& on_two_workers(Scenario& s, const CachePlacerSettings& settings = {}) {
  s.text.with_workers = true;
  s.tokens("process", 8)
      .placed(std::make_unique<NoneAllocator>(), std::make_unique<CachePlacer>(settings), {{"w0"}, {"w1"}});
  return s;
}

TEST(Placement, a_job_goes_where_its_dependency_is) {
  Scenario s;
  s.element("base").element("other").element("app", {"base"});
  s.job("base/build").takes(2s);
  on_two_workers(s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start base/build on w0\n0s start other/build on w1\n"
            "1s end other/build succeeded\n2s end base/build succeeded\n2s start app/build on w0\n3s end "
            "app/build succeeded\n");
}

TEST(Placement, a_job_waits_for_that_worker_and_then_goes_elsewhere_with_its_dependency) {
  Scenario s;
  s.element("base").element("long", {"base"}).element("app", {"base"});
  s.job("long/build").takes(20s);
  on_two_workers(s, {.deps_timeout = 5s});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start base/build on w0\n1s end base/build succeeded\n"
            "1s start long/build on w0\n6s move base from w0 to w1\n6s start app/build on w1\n"
            "7s end app/build succeeded\n21s end long/build succeeded\n");
}

TEST(Placement, a_lost_worker_has_its_jobs_run_elsewhere) {
  Scenario s;
  s.element("a").element("b");
  s.job("a/build").takes(10s);
  s.retry.backoff = {0s, 0s};
  on_two_workers(s).at(3s, input::OrderWorker{WorkerId{0}, WorkerOrder::lose});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start a/build on w0\n0s start b/build on w1\n1s end "
            "b/build succeeded\n"
            "3s end a/build failed lost\n3s worker w0 gone\n3s start a/build on w1 attempt 2\n13s end "
            "a/build succeeded\n");
  EXPECT_EQ(s.summary().counts.built, 2u);
}

// The worker lives on unseen and finishes the job that was given up: that end counts for nothing.
TEST(Placement, jobs_of_a_worker_that_is_removed_run_elsewhere_and_are_charged_no_attempt) {
  Scenario s;
  s.element("a").element("b");
  s.job("a/build").takes(10s);
  on_two_workers(s).at(3s, input::OrderWorker{WorkerId{0}, WorkerOrder::remove});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start a/build on w0\n0s start b/build on w1\n1s end "
            "b/build succeeded\n"
            "3s stop a/build preempted\n3s worker w0 gone\n3s end a/build cancelled\n3s start a/build on "
            "w1\n13s end a/build succeeded\n");
}

TEST(Placement, nothing_waits_for_what_a_drained_worker_holds_until_it_is_back) {
  for (const bool is_drained : {true, false}) {
    Scenario s;
    s.element("base").element("app", {"base"}).element("late", {"base"});
    s.job("app/build").takes(5s);
    on_two_workers(s, {.deps_timeout = 30s});
    if (is_drained) s.at(500ms, input::OrderWorker{WorkerId{0}, WorkerOrder::drain});
    s.at(3s, input::OrderWorker{WorkerId{0}, WorkerOrder::bring_back});
    ASSERT_TRUE(s.run({"build"}));
    const auto began = is_drained ? "1s start app/build on w1\n" : "1s start app/build on w0\n";
    EXPECT_NE(s.schedule().find(began), std::string::npos) << s.schedule();
    // It was busy with app, or drained until then, and holds base all the time.
    const auto later = is_drained ? "3s start late/build on w0\n" : "6s start late/build on w0\n";
    EXPECT_NE(s.schedule().find(later), std::string::npos) << s.schedule();
  }
}

TEST(Placement, why_nothing_runs_is_told) {
  struct Heard : Observer {
    void on_event(const Event& event) override {
      if (const auto* wait = std::get_if<event::JobWait>(&event.body))
        text += fmt::format("{} waits for {}\n", wait->element, wait->what);
      if (const auto* news = std::get_if<event::Diagnostic>(&event.body))
        text += fmt::format("{}\n", news->message.substr(0, 20));
    }
    std::string text;
  } heard;
  Scenario s;
  s.element("base").element("app", {"base"}).element("late", {"base"});
  on_two_workers(s, {.deps_timeout = 30s});
  s.at(1500ms, input::OrderWorker{WorkerId{0}, WorkerOrder::drain})
      .at(1500ms, input::OrderWorker{WorkerId{1}, WorkerOrder::drain});
  s.at(2500ms, input::OrderWorker{WorkerId{1}, WorkerOrder::bring_back});
  s.observers.push_back(&heard);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(heard.text, "late waits for place\nno worker takes jobs\n") << s.schedule();
}

TEST(Placement, the_job_that_is_tried_again_is_named) {
  struct Heard : Observer {
    void on_event(const Event& event) override {
      if (const auto* retry = std::get_if<event::JobRetry>(&event.body)) jobs.push_back(retry->job);
    }
    std::vector<std::uint64_t> jobs;
  } heard;
  Scenario s;
  s.element("a").element("b");
  s.job("b/build").takes(10s);
  on_two_workers(s).at(3s, input::OrderWorker{WorkerId{1}, WorkerOrder::lose});
  s.observers.push_back(&heard);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(heard.jobs, std::vector<std::uint64_t>{1});
}

TEST(Placement, no_job_is_done_twice_when_a_worker_that_was_given_up_speaks_again) {
  Scenario s;
  s.element("a");
  s.job("a/build").takes(1s);
  s.retry.backoff = {0s, 0s};
  s.options.lost_after = 5s;
  s.text.with_workers = true;
  s.placed(std::make_unique<NoneAllocator>(), std::make_unique<LocalPlacer>(),
           {{"w0", 1, BadExecutor::Faults{0, 0, 1.0, 5500ms}}, {"w1"}});
  s.job("a/build").then().takes(3s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start a/build on w0\n5s end a/build failed lost\n"
            "5s start a/build on w1 attempt 2\n8s end a/build succeeded\n");
}

TEST(Placement, a_draining_worker_ends_what_it_runs_and_takes_nothing_until_it_is_brought_back) {
  Scenario s;
  for (const auto* name : {"a", "b", "c", "d"}) s.element(name);
  on_two_workers(s).at(500ms, input::OrderWorker{WorkerId{0}, WorkerOrder::drain});
  s.at(2500ms, input::OrderWorker{WorkerId{0}, WorkerOrder::bring_back});
  s.job("c/build").takes(2s);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(
      s.schedule(),
      "0s worker w0 up\n0s worker w1 up\n0s start a/build on w0\n0s start b/build on w1\n0.500s worker w0 "
      "draining\n"
      "1s end a/build succeeded\n1s worker w0 drained\n1s end b/build succeeded\n1s start c/build on w1\n"
      "2.500s worker w0 up\n2.500s start d/build on w0\n3s end c/build succeeded\n3.500s end d/build "
      "succeeded\n");
}

TEST(Placement, a_worker_that_fails_again_and_again_is_left_alone_for_a_while) {
  Scenario s;
  s.options.breaker = {2, 10s};
  s.retry.backoff = {0s, 0s};
  s.text.with_workers = true;
  s.tokens("process", 8);
  // Only on w0 do jobs fail; the script cannot know where it runs, so the order of the first jobs decides.
  for (const auto* name : {"a", "b", "c"}) s.element(name);
  s.job("a/build").fails(Failure::infra);
  s.job("b/build").takes(20s);
  s.job("c/build").fails(Failure::infra);
  s.options.on_error = OnError::go_on;
  s.element("d");
  s.placed(std::make_unique<NoneAllocator>(), std::make_unique<LocalPlacer>(), {{"w0"}, {"w1"}});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start a/build on w0\n0s start b/build on w1\n1s end "
            "a/build failed infra\n"
            "1s start c/build on w0\n2s end c/build failed infra\n2s worker w0 broken\n12s worker w0 up\n12s "
            "start d/build on w0\n"
            "13s end d/build succeeded\n20s end b/build succeeded\n");
  EXPECT_EQ(s.summary().exit, 4);
}

TEST(Placement, only_builds_are_placed) {
  Scenario s;
  s.element("a", {}, {.present = false, .can_push = true});
  on_two_workers(s);
  ASSERT_TRUE(s.run({"fetch", "build", "push"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start a/fetch on local\n1s end a/fetch succeeded\n1s start "
            "a/build on w0\n"
            "2s end a/build succeeded\n2s start a/push on local\n3s end a/push succeeded\n");
}

TEST(Placement, jobs_of_a_queue_of_a_plugin_go_where_the_artifact_is) {
  Scenario s;
  s.element("a", {}, {.present = true}).element("b", {}, {.present = true});
  on_two_workers(s);
  ASSERT_TRUE(s.run({"fetch", "build", "test"}));
  EXPECT_EQ(s.schedule(),
            "0s worker w0 up\n0s worker w1 up\n0s start a/build on w0\n0s start b/build on w1\n1s end "
            "a/build succeeded\n"
            "1s end b/build succeeded\n1s start a/test on w0\n1s start b/test on w1\n2s end a/test "
            "succeeded\n2s end b/test succeeded\n");
}

TEST(Placement, a_job_that_waits_for_its_place_can_be_cancelled) {
  Scenario s;
  s.element("base").element("long", {"base"}).element("app", {"base"});
  s.job("long/build").takes(20s);
  on_two_workers(s).after(3s, [](Scheduler& scheduler) {
    const auto job = scheduler.find_job("app");
    ASSERT_TRUE(job.has_value());
    scheduler.door().post(input::CancelJob{*job});
  });
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.final_phases(), "base=finished long=finished app=cancelled");
  EXPECT_TRUE(s.ledger.idle());
}

TEST(Placement, a_run_waits_for_builds_that_are_being_planned) {
  Scenario s;
  s.element("a").element("b", {"a"}).want({"a"});
  s.at(0s, input::Expect{+1}).at(5s, input::Submit{"late", s.ids({"b"})}).at(5s, input::Expect{-1});
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(s.schedule(),
            "0s start a/build\n1s end a/build succeeded\n5s start b/build\n6s end b/build succeeded\n");
}

TEST(Placement, a_look_at_the_run_shows_classes_workers_and_jobs) {
  Scenario s;
  two_requestors(s, 12, 12).placed(by_load(75, 25), std::make_unique<LocalPlacer>(),
                                   {{"here", 3}, {"there", 1}});
  RunStatus status;
  s.after(1500ms, [&](Scheduler& scheduler) { status = scheduler.status(); });
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_EQ(status.state, "running");
  ASSERT_EQ(status.jobs.size(), 4u);
  EXPECT_EQ(status.jobs[0].element, "c4");
  EXPECT_EQ(status.jobs[0].work_class, "ci");
  EXPECT_EQ(status.jobs[0].requestor, "ci");
  EXPECT_EQ(status.jobs[0].seconds, 0.5);
  ASSERT_EQ(status.workers.size(), 2u);
  EXPECT_EQ(status.workers[0].running, 3);
  ASSERT_EQ(status.classes.size(), 2u);
  EXPECT_EQ(status.classes[0].name, "ci");
  EXPECT_EQ(status.classes[0].running, 3);
  EXPECT_EQ(status.classes[0].waiting, 5);
  EXPECT_EQ(status.classes[1].running, 1);
}

TEST(Placement, a_bad_setting_changes_nothing_and_says_why) {
  Scenario s;
  two_requestors(s, 4, 4).placed(by_load(75, 25), std::make_unique<LocalPlacer>(), {{"local", 4}});
  s.after(500ms, [](Scheduler& scheduler) {
    const auto before = scheduler.placement_settings();
    for (const auto& [name, value] : {std::pair{"loads", R"({"ci": -1})"},
                                      {"loads", R"({"nobody": 1})"},
                                      {"loads", "7"},
                                      {"requestors", "[]"},
                                      {"requestors", R"([{"class":"ci","requestor":"("}])"},
                                      {"rebalance-threshold", "-3"},
                                      {"rebalance-after", "\"soon\""},
                                      {"colour", "1"}}) {
      const auto set = scheduler.set_placement(name, value);
      ASSERT_FALSE(set.has_value()) << name << " " << value;
      EXPECT_FALSE(set.error().message.empty());
    }
    EXPECT_EQ(scheduler.placement_settings(), before);
  });
  ASSERT_TRUE(s.run({"build"}));
}

struct BrokenAllocator final : Allocator {
  void set_workers(std::int64_t, std::int64_t) override {}
  void job_waiting(ClassId, BuildId) override {}
  void job_withdrawn(ClassId, BuildId) override {}
  std::optional<Start> next() override { return std::nullopt; }
  void job_started(ClassId, BuildId) override {}
  void job_ended(ClassId, BuildId) override {}
  void job_requeued(ClassId, BuildId) override {}
  std::vector<Stop> to_stop(Time) override { return {}; }
  std::optional<Time> next_check() const override { return std::nullopt; }
  void set_blocked(ClassId, BuildId, bool) override {}
  ClassId class_of(std::string_view) const override { return {}; }
  std::string class_name(ClassId) const override { return "all"; }
  std::string settings() const override { return "{}"; }
  Status set(std::string_view, std::string_view) override { return {}; }
  std::optional<Error> fault() const override { return Error{Reason::bug, kWords}; }
  static constexpr const char* kWords = "an allocator with more words than a short string has room for";
};

TEST(Placement, what_an_allocator_did_wrong_is_told_in_its_words) {
  struct Heard : Observer {
    void on_event(const Event& event) override {
      if (const auto* news = std::get_if<event::Diagnostic>(&event.body)) text = news->message;
    }
    std::string text;
  } heard;
  Scenario s;
  s.element("a").placed(std::make_unique<BrokenAllocator>(), std::make_unique<LocalPlacer>(), {{"local", 4}});
  s.observers.push_back(&heard);
  ASSERT_TRUE(s.run({"build"}));
  EXPECT_TRUE(heard.text.starts_with(BrokenAllocator::kWords)) << heard.text;
  EXPECT_EQ(s.summary().exit, 70);
}

}  // namespace
}  // namespace weir::test
