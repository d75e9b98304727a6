#include "core/placement/build_rotation.h"

#include "core/base/assert.h"

namespace weir {

void BuildRotation::change(ClassId work_class, BuildId id, std::int64_t running, std::int64_t waiting) {
  const auto at = index(id);
  auto& build = reach(id);
  const bool could_start = build.may_start();
  if (build.running == 0 && build.waiting == 0) build.work_class = work_class;
  WEIR_ASSERT(build.work_class == work_class, "build {} is of class {}, not of {}", at,
              index(build.work_class), index(work_class));
  build.running += running;
  build.waiting += waiting;
  WEIR_ASSERT(build.running >= 0 && build.waiting >= 0, "build {} has {} running and {} waiting jobs", at,
              build.running, build.waiting);
  // One more or less of many that wait changes no place in line.
  if (running != 0 || build.may_start() != could_start) settle(work_class, id);
}

void BuildRotation::set_blocked(ClassId work_class, BuildId id, bool blocked) {
  reach(id).is_blocked = blocked;
  settle(work_class, id);
}

// Into its heap, out of it or to another place in it.
void BuildRotation::settle(ClassId work_class, BuildId id) {
  const auto at = index(id);
  auto& build = builds_[at];
  auto& heap = heaps_[index(work_class)];
  if (!build.may_start()) {
    if (build.position != kNowhere) leave(heap, at);
    return;
  }
  if (build.position == kNowhere) {
    heap.push_back(at);
    build.position = static_cast<std::uint32_t>(heap.size() - 1);
  }
  sift(heap, build.position);
}

BuildId BuildRotation::first(ClassId work_class) const {
  const auto& heap = heaps_[index(work_class)];
  WEIR_ASSERT(!heap.empty(), "class {} has no job that may start", index(work_class));
  return BuildId{heap.front()};
}

void BuildRotation::put(Heap& heap, std::uint32_t position, std::uint32_t build) {
  heap[position] = build;
  builds_[build].position = position;
}

void BuildRotation::sift(Heap& heap, std::uint32_t position) {
  const auto build = heap[position];
  while (position > 0 && before(build, heap[(position - 1) / 2])) {
    put(heap, position, heap[(position - 1) / 2]);
    position = (position - 1) / 2;
  }
  for (;;) {
    auto child = 2 * position + 1;
    if (child >= heap.size()) break;
    if (child + 1 < heap.size() && before(heap[child + 1], heap[child])) ++child;
    if (!before(heap[child], build)) break;
    put(heap, position, heap[child]);
    position = child;
  }
  put(heap, position, build);
}

void BuildRotation::leave(Heap& heap, std::uint32_t build) {
  const auto position = builds_[build].position;
  builds_[build].position = kNowhere;
  const auto last = heap.back();
  heap.pop_back();
  if (last == build) return;
  put(heap, position, last);
  sift(heap, position);
}

}  // namespace weir
