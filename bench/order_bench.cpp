// How good the order of jobs is: random builds with recorded durations through the real scheduler on virtual
// time, beside what no schedule can beat. Two bounds: the simple one (the longest path, and work / tokens)
// cannot be reached where all of a build waits for single elements; the better one knows of that
// (tests/support/random_dag.h).
//   order_bench [--seeds N] [--json FILE]
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/base/json_writer.h"
#include "core/exec/fake_executor.h"
#include "core/scheduler/scheduler.h"
#include "core/scheduler/virtual_driver.h"
#include "queues/no_remotes.h"
#include "queues/pipeline.h"
#include "tests/support/random_dag.h"

namespace {

using namespace weir;

// Everything is to be built, and nothing else is to be done.
class BenchWorld final : public Sources, public Artifacts {
 public:
  explicit BenchWorld(std::size_t elements) : made_(elements) {
    for (std::size_t i = 0; i < elements; ++i) {
      specs_.push_back(std::make_shared<JobSpec>());
      specs_.back()->label = std::to_string(i);
    }
  }
  bool tracking_wanted(ElementId) const override { return false; }
  bool has_ref(ElementId) const override { return true; }
  Answer present(ElementId) override { return Answer::yes; }
  PlannedJob plan_track(ElementId e) const override { return specs_[index(e)]; }
  PlannedJob plan_fetch(ElementId e) const override { return specs_[index(e)]; }
  Status tracked(ElementId, const JobResult&) override { return {}; }
  Status fetched(ElementId, const JobResult&) override { return {}; }
  Answer cached(ElementId e) override { return made_[index(e)] ? Answer::yes : Answer::no; }
  PlannedJob plan_build(ElementId e) const override { return specs_[index(e)]; }
  Status built(ElementId e, const JobResult&) override {
    made_[index(e)] = true;
    return {};
  }

 private:
  std::vector<bool> made_;
  std::vector<std::shared_ptr<JobSpec>> specs_;
};

// Milliseconds.
double makespan(const test::RandomDag& dag, std::int64_t tokens) {
  const auto graph = dag.graph();
  Ledger ledger;
  Lanes lanes;
  const TokenNeed process{ledger.add("process", tokens)};
  const NeedsTable needs({*ledger.intern({&process, 1}), {}, {}});
  BenchWorld world(dag.size());
  NoRemotes remotes;
  constexpr std::string_view kQueues[] = {"build"};
  auto row = make_row(kQueues, {world, world, remotes, needs, needs, needs, needs});
  if (!row) std::abort();
  VirtualClock clock;
  FakeExecutor executor(clock, [&](JobId, const JobSpec& spec) {
    return FakeJob{std::chrono::milliseconds(dag.milliseconds[std::stoul(spec.label)]), {}, {}, {}};
  });
  Emitter events(clock);
  Scheduler scheduler({graph, *row, ledger, lanes, executor, clock, events}, {}, dag.milliseconds,
                      dag.milliseconds);
  VirtualDriver driver(scheduler, clock, {&executor});
  std::vector<ElementId> wanted;
  for (std::uint32_t i = 0; i < dag.size(); ++i) wanted.push_back(ElementId{i});
  scheduler.start(wanted);
  if (!driver.run() || scheduler.summary().counts.built != dag.size()) std::abort();
  return std::chrono::duration<double, std::milli>(scheduler.summary().wall).count();
}

struct Ratio {
  double value = 0;
  std::string of;  // which build it was, to make it again
};

struct Group {
  std::vector<Ratio> simple, better;
};

Ratio at(std::vector<Ratio>& all, double part) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
}

void report(const std::string& name, Group& group, JsonWriter& json) {
  fmt::print("| {:<10} | {:>6} | {:>6.3f} | {:>6.3f} | {:>6.3f} | {:>6.3f} | {:>6.3f} | {:<40} |\n", name,
             group.simple.size(), at(group.simple, 0.5).value, at(group.simple, 0.9).value,
             at(group.simple, 1).value, at(group.better, 0.5).value, at(group.better, 1).value,
             at(group.better, 1).of);
  json.begin_object().key("workload").value(name).key("builds").value(group.simple.size());
  json.key("median")
      .value(at(group.simple, 0.5).value)
      .key("p90")
      .value(at(group.simple, 0.9).value)
      .key("worst")
      .value(at(group.simple, 1).value);
  json.key("median_better_bound")
      .value(at(group.better, 0.5).value)
      .key("worst_better_bound")
      .value(at(group.better, 1).value);
  json.key("worst_build")
      .value(at(group.simple, 1).of)
      .key("worst_build_better_bound")
      .value(at(group.better, 1).of)
      .end_object();
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seeds = 5;
  std::string file;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--seeds") seeds = std::strtoull(argv[i + 1], nullptr, 10);
    else if (std::string_view(argv[i]) == "--json") file = argv[i + 1];
  }
  std::map<std::string, Group> groups;
  const auto measure = [&](test::DagShape shape, std::size_t elements, int tokens, std::uint64_t seed,
                           bool is_small) {
    const auto dag = test::random_dag(shape, elements, seed);
    const auto bounds = test::bounds_of(dag, tokens);
    const auto took = makespan(dag, tokens);
    const auto which = fmt::format("{} {} tokens {} seed {}", test::to_string(shape), elements, tokens, seed);
    const Ratio simple{took / bounds.simple, which}, better{took / bounds.better, which};
    const auto add = [&](const std::string& name) {
      groups[name].simple.push_back(simple);
      groups[name].better.push_back(better);
    };
    if (is_small) return add("small");
    add("all");
    add(std::string(test::to_string(shape)));
    add(fmt::format("tokens {:>2}", tokens));
  };
  for (const auto shape : test::kDagShapes)
    for (const std::size_t elements : {50, 200, 1000, 5000})
      for (const int tokens : {2, 4, 8, 16, 32, 64})
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) measure(shape, elements, tokens, seed, false);
  // Where single jobs matter most: few elements, few tokens. Not among "all": there are too many of them.
  for (const auto shape : test::kDagShapes)
    for (const std::size_t elements : {8, 12, 20})
      for (const int tokens : {2, 3, 4})
        for (std::uint64_t seed = 1; seed <= seeds * 20; ++seed) measure(shape, elements, tokens, seed, true);

  std::string text;
  JsonWriter json(text);
  json.begin_object().key("name").value("order").key("seeds").value(seeds).key("rows").begin_array();
  fmt::print(
      "makespan / max(critical path, work / tokens), and / a better bound; seeds 1 to {}; aim: median 1.05, "
      "worst 1.2\n\n",
      seeds);
  fmt::print(
      "| builds | number | median | p90 | worst | median (better bound) | worst (better bound) | which |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (auto& [name, group] : groups) report(name, group, json);
  json.end_array().end_object();
  if (!file.empty()) std::ofstream(file) << text << '\n';
  return 0;
}
