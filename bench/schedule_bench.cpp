// A million elements through five queues on the fake executor: how fast decisions are made and how much
// memory they take. Figures are per element, graph and names included; the time of building the graph is not.
//   schedule_bench [elements] [tokens]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>

#include "core/exec/fake_executor.h"
#include "core/scheduler/scheduler.h"
#include "core/scheduler/virtual_driver.h"
#include "queues/pipeline.h"

namespace {

using namespace weir;
using namespace std::chrono_literals;

// Everything is to be done in the queues named, and nothing in the others.
struct Todo {
  bool track, pull, fetch, push;
};

class BenchWorld final : public Sources, public Artifacts, public Remotes {
 public:
  BenchWorld(std::size_t elements, Todo todo)
      : todo_(todo), made_(elements), spec_(std::make_shared<JobSpec>()) {}
  bool tracking_wanted(ElementId) const override { return todo_.track; }
  bool has_ref(ElementId) const override { return true; }
  Answer present(ElementId) override { return todo_.fetch ? Answer::no : Answer::yes; }
  PlannedJob plan_track(ElementId) const override { return spec_; }
  PlannedJob plan_fetch(ElementId) const override { return spec_; }
  Status tracked(ElementId, const JobResult&) override { return {}; }
  Status fetched(ElementId, const JobResult&) override { return {}; }
  Answer cached(ElementId e) override { return made_[index(e)] ? Answer::yes : Answer::no; }
  PlannedJob plan_build(ElementId) const override { return spec_; }
  Status built(ElementId e, const JobResult&) override {
    made_[index(e)] = true;
    return {};
  }
  bool can_pull(ElementId) const override { return todo_.pull; }
  bool can_push(ElementId) const override { return todo_.push; }
  bool remote_has(ElementId) const override { return false; }
  bool push_required() const override { return false; }
  PlannedJob plan_pull(ElementId) const override { return spec_; }
  PlannedJob plan_push(ElementId) const override { return spec_; }
  Status pulled(ElementId, const JobResult&) override { return fail(Reason::not_found, "not there"); }
  Why pushed(ElementId, const JobResult&) override { return Why::none; }

 private:
  Todo todo_;
  std::vector<bool> made_;
  std::shared_ptr<const JobSpec> spec_;
};

// Layers of a thousand, each element on three of the layer before.
Graph layered(std::uint32_t elements) {
  Graph graph;
  graph.reserve(elements, std::size_t{elements} * 3, std::size_t{elements} * 8);
  Random random(1);
  for (std::uint32_t i = 0; i < elements; ++i) {
    Graph::Edge edges[3];
    const std::uint32_t layer = i / 1000;
    for (auto& edge : edges)
      edge = {ElementId{layer == 0 ? 0 : (layer - 1) * 1000 + static_cast<std::uint32_t>(random.below(1000))},
              DependencyKind::build};
    graph.add(fmt::format("e{}", i), {edges, layer == 0 ? 0u : 3u});
  }
  return graph;
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * 4096;
}

std::size_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

class Counter final : public Observer {
 public:
  void on_event(const Event&) override { ++count; }
  std::uint64_t count = 0;
};

void run(std::string_view title, std::uint32_t elements, std::int64_t tokens, Todo todo, bool observed) {
  const auto before = resident_bytes();
  const auto graph = layered(elements);
  Ledger ledger;
  Lanes lanes;
  const TokenNeed process{ledger.add("process", tokens)}, download{ledger.add("download", tokens)},
      upload{ledger.add("upload", tokens)};
  const auto needs = [&](const TokenNeed& need) { return NeedsTable({*ledger.intern({&need, 1}), {}, {}}); };
  BenchWorld world(elements, todo);
  constexpr std::string_view kQueues[] = {"track", "pull", "fetch", "build", "push"};
  auto row = make_row(kQueues,
                      {world, world, world, needs(download), needs(process), needs(upload), needs(download)});
  VirtualClock clock;
  std::uint64_t jobs = 0;
  FakeExecutor executor(clock, [&](JobId, const JobSpec&) {
    ++jobs;
    return FakeJob{1ms, {}, {}, {}};
  });
  Emitter events(clock);
  Counter counter;
  if (observed) events.add(counter);
  std::vector<ElementId> wanted(elements);
  for (std::uint32_t i = 0; i < elements; ++i) wanted[i] = ElementId{i};

  const auto start = std::chrono::steady_clock::now();
  Scheduler scheduler({graph, *row, ledger, lanes, executor, clock, events}, {});
  VirtualDriver driver(scheduler, clock, {&executor});
  scheduler.start(wanted);
  const bool ended = driver.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!ended || scheduler.summary().counts.built != elements) std::abort();
  fmt::print("| {:<34} | {:>9} | {:>9} | {:>9} | {:>6.2f} | {:>10.0f} | {:>10.0f} | {:>5.0f} |\n", title,
             elements, jobs, counter.count, took.count(), elements / took.count(),
             static_cast<double>(jobs) / took.count(), static_cast<double>(peak_bytes() - before) / elements);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto elements = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 1'000'000);
  const std::int64_t tokens = argc > 2 ? std::atoi(argv[2]) : 64;
  const std::string only = argc > 3 ? argv[3] : "";
  fmt::print("| workload | elements | jobs | events | s | elements/s | jobs/s | bytes/element (peak) |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  // Smallest first: the peak is the process's and only grows.
  if (only.empty() || only == "build")
    run("build; other queues skip", elements, tokens, {false, false, false, false}, false);
  if (only.empty() || only == "fetch")
    run("fetch and build; others skip", elements, tokens, {false, false, true, false}, false);
  if (only.empty() || only == "all")
    run("a job in each of the five queues", elements, tokens, {true, true, true, true}, false);
  if (only.empty() || only == "heard")
    run("fetch and build, with an observer", elements, tokens, {false, false, true, false}, true);
}
