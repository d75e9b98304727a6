#include "core/cli/plugin_template.h"
#include "core/cli/plugin_template_placement.h"

namespace weir::cli {

namespace {

constexpr std::string_view kAllocator =
    R"code(// @kind@: builds take turns; the one whose turn it is starts one job.
//
//   [placement]
//   allocate = "@kind@"
#include <algorithm>
#include <vector>

#include <weir/placement.hpp>

using namespace weir::sdk;

// One object for a run; weir tells it what happens, on one thread. What it names has to be what it was told of.
class @Kind@Allocator {
 public:
  static constexpr std::string_view kind = "@kind@";
  static constexpr std::uint32_t version = 1;
  // A document that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"classes":[{"load":1,"name":"all"}]})";

  // What [placement] and [[class]] of the project say. This one needs nothing of it: there is one class, "default".
  explicit @Kind@Allocator(const Json&) {}

  // Places for jobs in all, and those that are free now.
  void set_workers(std::uint64_t, std::uint64_t idle) { idle_ = idle; }
  void job_waiting(std::uint32_t work_class, std::uint32_t build) { ++reach(work_class, build).waiting; }
  // It waits no longer, and did not start.
  void job_withdrawn(std::uint32_t work_class, std::uint32_t build) { --reach(work_class, build).waiting; }
  void job_started(std::uint32_t work_class, std::uint32_t build) {
    --reach(work_class, build).waiting;
    --idle_;
    turn_ = build + 1;
  }
  void job_ended(std::uint32_t, std::uint32_t) { ++idle_; }
  // Stopped: its place is free, and it waits again.
  void job_requeued(std::uint32_t work_class, std::uint32_t build) {
    ++idle_;
    ++reach(work_class, build).waiting;
  }
  // None of its jobs could start now: to be passed over until this is taken back.
  void set_blocked(std::uint32_t work_class, std::uint32_t build, bool blocked) { reach(work_class, build).blocked = blocked; }

  // Whose job may start now. weir says job_started when it did.
  std::optional<MayStart> next() const {
    for (std::size_t i = 0; idle_ > 0 && i < builds_.size(); ++i) {
      const auto build = (turn_ + i) % builds_.size();
      if (builds_[build].waiting > 0 && !builds_[build].blocked)
        return MayStart{builds_[build].work_class, static_cast<std::uint32_t>(build)};
    }
    return std::nullopt;
  }

 private:
  struct Build {
    std::uint64_t waiting = 0;
    std::uint32_t work_class = 0;
    bool blocked = false;
  };
  // Numbers of builds are small: a vector is the table.
  Build& reach(std::uint32_t work_class, std::uint32_t build) {
    if (build >= builds_.size()) builds_.resize(build + std::size_t{1});
    builds_[build].work_class = work_class;
    return builds_[build];
  }

  std::uint64_t idle_ = 0;
  std::size_t turn_ = 0;
  std::vector<Build> builds_;
};

WEIR_PLUGIN("@kind@-plugin", "0.1", allocator<@Kind@Allocator>())
)code";

}  // namespace

PluginTemplate allocator_template() { return {kAllocator, kPlacementProject}; }

}  // namespace weir::cli
