#include "core/sim/place.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/json_writer.h"
#include "core/placement/cache_placer.h"
#include "core/placement/json_input.h"
#include "core/sim/words.h"

namespace weir::sim {

namespace {

constexpr std::string_view kOps[] = {"worker_add",   "worker_remove",   "schedule", "pick",    "complete",
                                     "artifact_add", "artifact_remove", "locate",   "advance", "where"};
enum class Op : std::uint8_t {
  worker_add,
  worker_remove,
  schedule,
  pick,
  complete,
  artifact_add,
  artifact_remove,
  locate,
  advance,
  where
};

class Names {
 public:
  std::uint32_t id(const std::string& name) {
    const auto [found, is_new] = ids_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }
  const std::string& operator[](std::uint32_t id) const { return names_[id]; }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> names_;
};

// Runs steps as they are read; what it says is dropped if a later one is malformed.
class Story {
 public:
  Story(const CachePlacerSettings& settings, std::string& out) : placer_(settings), json_(out) {}

  void run(const JsonInput& input) {
    json_.begin_object().key("results").begin_array();
    for (const auto& item : input.items()) step(item);
    json_.end_array().end_object();
  }

 private:
  WorkerId worker(const JsonInput& step) { return WorkerId{workers_.id(step["worker"].text())}; }
  ResultId result(const JsonInput& name) { return ResultId{results_.id(name.text())}; }

  void step(const JsonInput& step) {
    json_.begin_object();
    switch (static_cast<Op>(step["op"].one_of(kOps))) {
      case Op::worker_add: placer_.add_worker(worker(step)); break;
      case Op::worker_remove: placer_.remove_worker(worker(step), now_); break;
      case Op::schedule: json_.key("new").value(schedule(step)); break;
      case Op::pick: pick(worker(step)); break;
      case Op::complete:
        json_.key("known").value(
            placer_.complete(worker(step), result(step["job"]), step["ok"].boolean(), now_));
        break;
      case Op::artifact_add: placer_.add_artifact(worker(step), result(step["artifact"]), now_); break;
      case Op::artifact_remove: placer_.remove_artifact(worker(step), result(step["artifact"]), now_); break;
      case Op::locate: locate(result(step["artifact"])); break;
      case Op::advance: advance(step["ms"]); break;
      case Op::where: where(result(step["job"])); break;
    }
    json_.end_object();
  }

  bool schedule(const JsonInput& step) {
    std::vector<ResultId> deps;
    if (const auto given = step["deps"]; given.is_present())
      for (const auto& dep : given.items()) deps.push_back(result(dep));
    return placer_.schedule(result(step["job"]), deps, now_);
  }

  void pick(WorkerId worker) {
    constexpr std::string_view kQueues[] = {"result", "dependency", "global"};
    const auto picked = placer_.pick(worker, now_);
    json_.key("job");
    if (picked)
      json_.value(results_[index(picked->job)])
          .key("queue")
          .value(kQueues[static_cast<std::size_t>(picked->queue)]);
    else json_.null();
  }

  void locate(ResultId artifact) {
    const auto holder = placer_.locate(artifact);
    json_.key("worker");
    if (holder) json_.value(workers_[index(*holder)]);
    else json_.null();
  }

  void advance(const JsonInput& ms) {
    const Duration by = std::chrono::milliseconds(ms.whole(0, kLongestMs));
    if (now_.time_since_epoch() + by > std::chrono::milliseconds(kLongestMs)) {
      ms.complain("is further than the simulated clock goes");
      return;
    }
    now_ += by;
    placer_.advance(now_);
  }

  void where(ResultId job) {
    const auto found = placer_.where(job);
    std::vector<std::string> queues;
    for (const auto w : found.result) queues.push_back("result:" + workers_[index(w)]);
    for (const auto w : found.dependency) queues.push_back("dependency:" + workers_[index(w)]);
    if (found.global) queues.push_back("global");
    std::sort(queues.begin(), queues.end());
    json_.key("queues").begin_array();
    for (const auto& queue : queues) json_.value(queue);
    json_.end_array();
  }

  CachePlacer placer_;
  JsonWriter json_;
  Time now_{};
  Names workers_, results_;
};

}  // namespace

Result<std::string> simulate_place(std::string_view document) {
  return read_input(document, [](const JsonInput& input) {
    std::string out;
    Story(read_placer(input, false), out).run(input["steps"]);
    return out;
  });
}

}  // namespace weir::sim
