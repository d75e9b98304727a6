// Within a class, the build with the fewest running jobs starts the next one; ties by id. One heap for each
// class, of the builds that have waiting jobs and are not blocked.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/placement.h"

namespace weir {

class BuildRotation {
 public:
  void resize(std::size_t classes) { heaps_.resize(classes); }
  void change(ClassId work_class, BuildId build, std::int64_t running, std::int64_t waiting);
  void set_blocked(ClassId work_class, BuildId build, bool blocked);
  // Only of a class that has waiting jobs of builds that are not blocked.
  BuildId first(ClassId work_class) const;

  std::int64_t running(BuildId build) const {
    return index(build) < builds_.size() ? builds_[index(build)].running : 0;
  }
  std::int64_t waiting(BuildId build) const {
    return index(build) < builds_.size() ? builds_[index(build)].waiting : 0;
  }
  bool is_blocked(BuildId build) const {
    return index(build) < builds_.size() && builds_[index(build)].is_blocked;
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  struct Build {
    std::int64_t running = 0;
    std::int64_t waiting = 0;
    ClassId work_class{};
    std::uint32_t position = kNowhere;  // in the heap of its class, while it may start
    bool is_blocked = false;
    bool may_start() const { return waiting > 0 && !is_blocked; }
  };
  using Heap = std::vector<std::uint32_t>;

  bool before(std::uint32_t a, std::uint32_t b) const {
    return builds_[a].running != builds_[b].running ? builds_[a].running < builds_[b].running : a < b;
  }
  Build& reach(BuildId build) {
    if (index(build) >= builds_.size()) builds_.resize(index(build) + std::size_t{1});
    return builds_[index(build)];
  }
  void settle(ClassId work_class, BuildId build);
  void put(Heap& heap, std::uint32_t position, std::uint32_t build);
  void sift(Heap& heap, std::uint32_t position);
  void leave(Heap& heap, std::uint32_t build);

  std::vector<Build> builds_;
  std::vector<Heap> heaps_;
};

}  // namespace weir
