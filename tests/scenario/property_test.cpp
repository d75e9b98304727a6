// Random plans, durations, failures, suspends, cancels and faults. Whatever happens: no token is over-used,
// exclusive means alone, lanes keep their rules, dependencies come first, every start has one end, everything
// is given back and every run comes to its end. A failure prints its seed; WEIR_SEED=n runs that one alone.
#include <cstdlib>

#include "core/placement/cache_placer.h"
#include "core/placement/load_allocator.h"
#include "core/placement/local_placer.h"
#include "core/placement/none_allocator.h"

#include "tests/scenario/world.h"

namespace weir::test {
namespace {

constexpr std::uint64_t kRuns = 20'000;
constexpr std::string_view kTokens[] = {"process", "cache", "license"};

// Watches a run from its events alone, as any reader could.
class Referee final : public Observer {
 public:
  struct Asked {
    std::vector<Scenario::Need> needs;
    std::vector<std::string> depends;  // build dependencies
    std::string lane, group;
    Access access = Access::read;
    std::int64_t most_cores = 0;
  };
  std::size_t grew = 0, shrank = 0;
  std::map<std::string, Asked, std::less<>> asked;
  std::map<std::string, std::int64_t, std::less<>> capacity;
  std::set<std::string, std::less<>> cached;
  std::string complaint;

  void on_event(const Event& event) override {
    if (const auto* start = event.as<event::JobStart>()) {
      on_start(*start);
    } else if (const auto* end = event.as<event::JobEnd>()) {
      on_end(*end);
    } else if (const auto* cores = event.as<event::JobCores>()) {
      on_cores(*cores);
    } else if (const auto* state = event.as<event::ElementState>()) {
      if (state->queue == "build" && state->status == "ready") ready(std::string(state->element));
      if (state->status == "done" || state->status == "skip") {
        killed_.erase(std::string(state->element));
        if (state->queue == "build") made_.insert(std::string(state->element));
      }
    } else if (const auto* retry = event.as<event::JobRetry>()) {
      on_retry(*retry);
    } else if (const auto* control = event.as<event::Control>()) {
      capacity[std::string(control->name.text)] = *control->value;
    } else if (event.as<event::RunEnd>()) {
      if (!running_.empty()) complain("jobs run after the end");
    }
  }

 private:
  void complain(std::string what) {
    if (complaint.empty()) complaint = std::move(what);
  }
  void ready(const std::string& element) {
    if (const auto& lane = asked[element].lane; !lane.empty()) lines_[lane].push_back(element);
  }
  void on_start(const event::JobStart& start) {
    const std::string element(start.element);
    if (!running_.emplace(start.job, std::pair{element, std::string(start.queue)}).second)
      complain("a job id was used twice");
    for (const auto& [token, amount] : start.tokens) {
      take(token, amount);
      taken_[start.job].emplace_back(token, amount);
    }
    if (killed_.count(element)) {
      if (holders_["process"] != 1)
        complain(element + " was killed for want of memory and does not run alone");
      exclusive_["process"] = true;
    }
    if (start.queue != "build") return;
    for (const auto& need : asked[element].needs)
      if (need.exclusive) {
        if (holders_[need.token] != 1) complain(need.token + " was to be exclusive for " + element);
        exclusive_[need.token] = true;
      }
    for (const auto& dependency : asked[element].depends)
      if (!made_.count(dependency)) complain(element + " was built before " + dependency);
    if (!asked[element].lane.empty()) enter_lane(element);
  }
  // More only while there are some, and never above or below what the job asked for.
  void on_cores(const event::JobCores& change) {
    const auto found = running_.find(change.job);
    if (found == running_.end()) return complain("cores of a job that does not run");
    const auto& own = asked[found->second.first];
    const auto cores = static_cast<std::int64_t>(change.cores);
    const auto before = own.needs.front().amount + grown_[change.job];
    if (cores < own.needs.front().amount || cores > own.most_cores)
      complain("a job has cores that it did not ask for");
    used_["process"] += cores - before;
    grown_[change.job] += cores - before;
    if (cores > before && used_["process"] > capacity["process"]) complain("process is over-used by growing");
    if (cores > before && exclusive_["process"]) complain("a job grew beside an exclusive holder");
    grew += cores > before;
    shrank += cores < before;
  }
  void take(std::string_view token, std::int64_t amount) {
    const std::string name(token);
    used_[name] += amount;
    ++holders_[name];
    if (capacity.count(name) && used_[name] > capacity[name]) complain(name + " is over-used");
    if (exclusive_[name]) complain(name + " was taken beside an exclusive holder");
  }
  void enter_lane(const std::string& element) {
    const auto& own = asked[element];
    auto& line = lines_[own.lane];
    if (line.empty() || line.front() != element) complain(element + " started out of order in its lane");
    line.erase(std::find(line.begin(), line.end(), element));
    for (const auto& [job, other] : running_) {
      if (other.first == element || other.second != "build" || asked[other.first].lane != own.lane) continue;
      if (!own.group.empty() && asked[other.first].group == own.group) complain("two of one group in a lane");
      if (asked[other.first].access != own.access) complain("readers and writers in a lane");
    }
  }
  void on_end(const event::JobEnd& end) {
    const std::string element(end.element);
    const auto found = running_.find(end.job);
    if (found == running_.end()) {
      if (end.result != "cancelled" && end.result != "skipped") complain("an end without a start");
      if (!ended_.insert(end.job).second) complain("a job ended twice");
      auto& line = lines_[asked[element].lane];
      line.erase(std::remove(line.begin(), line.end(), element), line.end());
      return;
    }
    if (!ended_.insert(end.job).second) complain("a job ended twice");
    const auto queue = found->second.second;
    running_.erase(found);
    used_["process"] -= std::exchange(grown_[end.job], 0);
    for (const auto& [token, amount] : taken_[end.job]) give(token, amount);
    if (killed_.count(element)) exclusive_["process"] = false;
    if (queue != "build") return;
    for (const auto& need : asked[element].needs)
      if (need.exclusive) exclusive_[need.token] = false;
  }
  // From then on it has all cores to itself, where there are as many tokens as it needs.
  void on_retry(const event::JobRetry& retry) {
    if (retry.failure != "oom" || capacity["process"] < 1) return;
    const std::string element(retry.element);
    for (const auto& need : asked[element].needs)
      if (capacity.count(need.token) && capacity[need.token] < need.amount) return;
    killed_.insert(element);
  }
  void give(const std::string& token, std::int64_t amount) {
    used_[token] -= amount;
    --holders_[token];
    if (used_[token] < 0) complain(token + " was given back twice");
  }

  std::map<std::uint64_t, std::pair<std::string, std::string>> running_;
  std::map<std::uint64_t, std::int64_t> grown_;
  std::map<std::uint64_t, std::vector<std::pair<std::string, std::int64_t>>> taken_;  // by job
  std::set<std::string> killed_;  // elements whose next attempts are alone
  std::set<std::uint64_t> ended_;
  std::set<std::string, std::less<>> made_;
  std::map<std::string, std::int64_t, std::less<>> used_, holders_;
  std::map<std::string, bool, std::less<>> exclusive_;
  std::map<std::string, std::vector<std::string>> lines_;
};

// The same, with jobs that are placed: on workers that come and go, for several builds of two classes.
enum class Mode : std::uint8_t { direct, placed };

struct RandomRun {
  explicit RandomRun(std::uint64_t seed, Mode mode = Mode::direct)
      : random(seed), is_placed(mode == Mode::placed) {}
  Random random;
  bool is_placed;
  Scenario s;
  Referee referee;

  Duration some_time(std::uint64_t most_ms) { return std::chrono::milliseconds(random.below(most_ms + 1)); }

  void add_elements() {
    const auto count = 1 + random.below(24);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto name = fmt::format("e{}", i);
      std::vector<std::string> depends, runtime;
      for (std::uint64_t j = 0; j < i; ++j) {
        if (random.chance(1.5 / static_cast<double>(i))) depends.push_back(fmt::format("e{}", j));
        if (random.chance(0.3 / static_cast<double>(i))) runtime.push_back(fmt::format("e{}", j));
      }
      const Facts facts{.track = random.chance(0.5),
                        .ref = random.chance(0.97),
                        .present = random.chance(0.4),
                        .cached = random.chance(0.15),
                        .can_pull = random.chance(0.3),
                        .can_push = random.chance(0.4),
                        .remote_has = random.chance(0.2)};
      referee.asked[name].depends = depends;
      s.element(name, depends, facts, runtime);
      ask(name);
      script(name);
    }
  }
  void ask(const std::string& name) {
    std::vector<Scenario::Need> needs{
        {"process", 1 + static_cast<std::int64_t>(random.below(2)), random.chance(0.03)}};
    if (random.chance(0.3)) needs.push_back({"cache", 1, random.chance(0.3)});
    if (random.chance(0.2)) needs.push_back({"license", 1, false});
    s.needs(name, needs);
    auto& asked = referee.asked[name];
    asked.needs = needs;
    if (random.chance(0.4)) {
      asked.most_cores = needs.front().amount + static_cast<std::int64_t>(random.below(4));
      s.world.most_cores[name + "/build"] = static_cast<std::uint32_t>(asked.most_cores);
      s.job(name + "/build").keeps_cores(random.chance(0.5) ? 0s : some_time(4000));
    }
    if (!random.chance(0.3)) return;
    asked.lane = random.chance(0.5) ? "x" : "y";
    asked.group = random.chance(0.3) ? "" : fmt::format("g{}", random.below(3));
    asked.access = random.chance(0.6) ? Access::read : Access::write;
    s.in_lane(name, asked.lane, asked.group, asked.access);
  }
  void script(const std::string& name) {
    for (const auto* queue : {"track", "pull", "fetch", "build", "push"}) {
      const auto label = fmt::format("{}/{}", name, queue);
      auto& job = s.job(label).takes(some_time(5000));
      if (random.chance(0.12)) job.fails(static_cast<Failure>(1 + random.below(kFailures - 1)));
      if (random.chance(0.5)) job.then().takes(some_time(3000));
      if (random.chance(0.2)) job.writes_every(some_time(900) + 100ms);
      if (random.chance(0.2)) job.dies_after(some_time(20'000));
      if (random.chance(0.2)) s.world.limits[label] = {some_time(6000), some_time(3000), 1, 0};
    }
  }
  void add_orders() {
    for (auto orders = random.below(6); orders > 0; --orders) {
      const JobId job{static_cast<std::uint32_t>(random.below(40))};
      const auto when = some_time(15'000);
      switch (random.below(9)) {
        case 0: s.at(when, input::CancelJob{job}); break;
        case 1:
        case 2: s.at(when, input::SuspendJob{job}); break;
        case 3: s.at(when, input::ResumeJob{job}); break;
        case 4: s.at(when, input::SuspendAll{}); break;
        case 5:
          s.at(when, input::SetTokens{std::string(kTokens[random.below(3)]),
                                      static_cast<std::int64_t>(random.below(4))});
          break;
        case 6:
          if (random.chance(0.3)) s.at(when, input::CancelAll{});
          break;
        case 7:
          if (random.chance(0.3)) s.at(when, input::CancelRun{130});
          break;
        case 8:
          if (random.chance(0.3)) s.at(when, input::Quit{});
          break;
      }
    }
    // All that was taken away comes back, so that a run that hangs is the scheduler's fault.
    for (const auto token : kTokens)
      s.at(20s, input::SetTokens{std::string(token), referee.capacity[std::string(token)]});
    s.at(20s, input::ResumeAll{});
  }
  std::unique_ptr<Allocator> some_allocator() {
    if (random.chance(0.3)) return std::make_unique<NoneAllocator>();
    LoadSettings settings{{{"ci", Decimal(static_cast<std::int64_t>(random.below(4)))}, {"dev", Decimal(1)}},
                          random.chance(0.5) ? Loans::plain : Loans::accounted,
                          Decimal(static_cast<std::int64_t>(random.below(60))),
                          some_time(2000)};
    auto made = *LoadAllocator::make(settings);
    EXPECT_TRUE(made->set_requestors({{"ci", "ci.*"}}).has_value());
    return made;
  }
  std::unique_ptr<Placer> some_placer() {
    if (random.chance(0.3)) return std::make_unique<LocalPlacer>();
    return std::make_unique<CachePlacer>(CachePlacerSettings{
        some_time(2000), some_time(4000), random.chance(0.7) ? PickRule::cache_first : PickRule::random,
        random.chance(0.5), random.next()});
  }
  void add_placement() {
    std::vector<Scenario::WorkerPlan> workers;
    const auto count = 1 + random.below(4);
    for (std::uint64_t w = 0; w < count; ++w) {
      workers.push_back({fmt::format("w{}", w), 1 + static_cast<std::int64_t>(random.below(3)), {}});
      if (s.faults && random.chance(0.7))
        workers.back().faults =
            BadExecutor::Faults{0.1, 0.2, 0.2, some_time(20'000), 0xffffffff, random.next()};
    }
    for (auto orders = random.below(4); orders > 0; --orders) {
      const auto order = static_cast<WorkerOrder>(random.below(3));
      s.at(some_time(15'000),
           input::OrderWorker{WorkerId{static_cast<std::uint32_t>(random.below(count))}, order});
    }
    for (std::uint32_t w = 0; w < count; ++w)
      s.at(20s, input::OrderWorker{WorkerId{w}, WorkerOrder::bring_back});
    s.placed(some_allocator(), some_placer(), std::move(workers));
  }
  // A part is wanted from the start, others come later.
  void add_submissions() {
    s.options.requestor = "ci-main";
    std::vector<std::string> first;
    for (const auto& [name, asked] : referee.asked) {
      if (random.chance(0.6)) {
        first.push_back(name);
      } else {
        const auto when = some_time(8000);
        s.after(when, [this, name](Scheduler& scheduler) {
          scheduler.door().post(input::Submit{random.chance(0.5) ? "ci-more" : "someone", s.ids({name})});
        });
      }
    }
    if (first.empty()) first.push_back(referee.asked.begin()->first);
    s.want(first);
    // Loads change, and the run waits for the last submission.
    s.at(0s, input::Expect{+1});
    s.at(9s, input::Expect{-1});
    s.after(some_time(9000),
            [](Scheduler& scheduler) { (void)scheduler.set_placement("loads", R"({"ci": 1, "dev": 3})"); });
  }
  std::string play() {
    for (const auto token : kTokens) {
      const auto count = 2 + static_cast<std::int64_t>(random.below(3));
      s.tokens(token, count);
      referee.capacity[std::string(token)] = count;
    }
    add_elements();
    add_orders();
    s.options.on_error = static_cast<OnError>(random.below(3));
    s.options.breaker = {3, 2s};
    s.options.seed = random.next();
    s.retry.backoff = {100ms, 2s};
    if (random.chance(0.3)) {
      s.faults = BadExecutor::Faults{0.1, 0.2, 0.2, some_time(20'000), 0xffffffff, random.next()};
      s.options.lost_after = 15s;
    }
    if (is_placed) {
      add_placement();
      add_submissions();
    }
    s.observers.push_back(&referee);
    std::vector<std::string_view> queues;
    if (random.chance(0.3)) queues.push_back("track");
    if (random.chance(0.5)) queues.push_back("pull");
    if (random.chance(0.8)) queues.push_back("fetch");
    queues.push_back("build");
    if (random.chance(0.5)) queues.push_back("push");
    if (!s.run(queues)) return "the run hangs";
    if (!s.ledger.idle() || !s.lanes.idle()) return "something was not given back";
    return referee.complaint;
  }
};

void play_many(Mode mode, std::uint64_t runs) {
  if (const char* one = std::getenv("WEIR_SEED")) {
    RandomRun run(std::strtoull(one, nullptr, 10), mode);
    run.s.text.with_workers = mode == Mode::placed;
    const auto complaint = run.play();
    ASSERT_EQ(complaint, "") << run.s.schedule();
    return;
  }
  std::size_t jobs = 0, grew = 0, shrank = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    RandomRun run(seed, mode);
    const auto complaint = run.play();
    ASSERT_EQ(complaint, "") << "WEIR_SEED=" << seed << "\n" << run.s.schedule();
    grew += run.referee.grew;
    shrank += run.referee.shrank;
    jobs += static_cast<std::size_t>(std::count(run.s.schedule().begin(), run.s.schedule().end(), '\n'));
  }
  EXPECT_GT(jobs, 20u * runs);  // the runs did something
  EXPECT_GT(grew, runs / 4);
  EXPECT_GT(shrank, runs / 20);
}

TEST(Property, whatever_happens_the_rules_hold_and_the_run_ends) { play_many(Mode::direct, kRuns); }

TEST(Property, whatever_happens_to_workers_and_builds_the_rules_hold_and_the_run_ends) {
  play_many(Mode::placed, kRuns / 2);
}

TEST(Property, the_same_seed_gives_the_same_schedule) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto mode = seed % 2 ? Mode::direct : Mode::placed;
    RandomRun first(seed, mode), second(seed, mode);
    first.play();
    second.play();
    ASSERT_EQ(first.s.schedule(), second.s.schedule()) << "WEIR_SEED=" << seed;
  }
}

}  // namespace
}  // namespace weir::test
