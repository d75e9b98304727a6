#include "core/cli/plugin_template.h"
#include "core/cli/plugin_template_placement.h"

namespace weir::cli {

namespace {

constexpr std::string_view kPlacer =
    R"code(// @kind@: the job that has waited longest goes to the worker that asks first.
//
//   [placement]
//   place = "@kind@"
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include <weir/placement.hpp>

using namespace weir::sdk;

// One object for a run; weir tells it what happens, on one thread. What it names has to be what it was told of.
class @Kind@Placer {
 public:
  static constexpr std::string_view kind = "@kind@";
  static constexpr std::uint32_t version = 1;
  // A document that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"cache-timeout":1})";

  // What [placement] of the project says; what this one does not need it leaves alone.
  explicit @Kind@Placer(const Json&) {}

  void add_worker(std::uint32_t) {}
  // It is gone: its jobs wait again, and are named in the order in which they were picked.
  void remove_worker(std::uint32_t worker, std::int64_t, const JobSink& lost) {
    std::erase(idle_, worker);
    for (const auto job : std::exchange(running_[worker], {})) {
      lost(job);
      waiting_.push_back(job);
    }
  }
  // `deps` are the artifacts that it uses; where those are (add_artifact, remove_artifact) makes no difference here.
  void schedule(std::uint32_t job, std::span<const std::uint32_t>, std::int64_t) { waiting_.push_back(job); }
  // Nobody wants it any more, whether it waits or runs.
  void withdraw(std::uint32_t job, std::int64_t) { forget(job); }

  // Nothing: the worker waits until it is woken.
  std::optional<Picked> pick(std::uint32_t worker, std::int64_t) {
    std::erase(idle_, worker);
    if (waiting_.empty()) {
      idle_.push_back(worker);
      return std::nullopt;
    }
    const auto job = waiting_.front();
    waiting_.pop_front();
    running_[worker].push_back(job);
    return Picked{job};
  }
  // If all went well, nobody else has to run it; if not, it is over where it ran.
  void complete(std::uint32_t worker, std::uint32_t job, bool ok, std::int64_t) {
    if (ok) forget(job);
    else std::erase(running_[worker], job);
  }
  // A worker that got nothing, now that there is something.
  std::optional<std::uint32_t> next_woken() {
    if (waiting_.empty() || idle_.empty()) return std::nullopt;
    const auto worker = idle_.front();
    idle_.pop_front();
    return worker;
  }

 private:
  void forget(std::uint32_t job) {
    std::erase(waiting_, job);
    for (auto& [worker, jobs] : running_) std::erase(jobs, job);
  }

  std::deque<std::uint32_t> waiting_;
  std::deque<std::uint32_t> idle_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> running_;  // by worker, in the order of picking
};

WEIR_PLUGIN("@kind@-plugin", "0.1", placer<@Kind@Placer>())
)code";

}  // namespace

PluginTemplate placer_template() { return {kPlacer, kPlacementProject}; }

}  // namespace weir::cli
