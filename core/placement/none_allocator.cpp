#include "core/placement/none_allocator.h"

#include <fmt/format.h>

#include "core/base/assert.h"

namespace weir {

NoneAllocator::Build& NoneAllocator::reach(ClassId work_class, BuildId id) {
  if (index(id) >= builds_.size()) builds_.resize(index(id) + std::size_t{1});
  auto& build = builds_[index(id)];
  build.work_class = work_class;
  return build;
}

void NoneAllocator::enter(BuildId id) {
  const auto& build = builds_[index(id)];
  if (!build.is_blocked && !build.runs.empty()) ready_.insert({build.runs.front().number, index(id)});
}

void NoneAllocator::leave(BuildId id) {
  const auto& build = builds_[index(id)];
  if (!build.is_blocked && !build.runs.empty()) ready_.erase({build.runs.front().number, index(id)});
}

void NoneAllocator::job_waiting(ClassId work_class, BuildId id) {
  auto& build = reach(work_class, id);
  if (!build.runs.empty() && build.runs.back().number + 1 == next_number_) {  // nobody asked since
    ++build.runs.back().jobs;
    return;
  }
  const bool is_first = build.runs.empty();
  build.runs.push_back({next_number_++, 1});
  if (is_first) enter(id);
}

void NoneAllocator::drop_first(BuildId id) {
  WEIR_ASSERT(index(id) < builds_.size() && !builds_[index(id)].runs.empty(), "build {} has no waiting job",
              index(id));
  auto& runs = builds_[index(id)].runs;
  if (--runs.front().jobs > 0) return;
  leave(id);
  runs.pop_front();
  enter(id);
}

void NoneAllocator::job_withdrawn(ClassId, BuildId build) { drop_first(build); }

std::optional<Allocator::Start> NoneAllocator::next() {
  if (idle_ <= 0 || ready_.empty()) return std::nullopt;
  const auto build = ready_.begin()->second;
  return Start{builds_[build].work_class, BuildId{build}};
}

void NoneAllocator::job_started(ClassId, BuildId build) {
  drop_first(build);
  --idle_;
}

void NoneAllocator::job_requeued(ClassId work_class, BuildId id) {
  ++idle_;
  auto& build = reach(work_class, id);
  leave(id);
  build.runs.push_front({--first_number_, 1});
  enter(id);
}

void NoneAllocator::set_blocked(ClassId work_class, BuildId id, bool blocked) {
  auto& build = reach(work_class, id);
  if (build.is_blocked == blocked) return;
  leave(id);
  build.is_blocked = blocked;
  enter(id);
}

Status NoneAllocator::set(std::string_view name, std::string_view) {
  return fail(Reason::usage, fmt::format("there is no setting \"{}\": the allocator \"none\" has none", name),
              "set allocate = \"load-based\" in [placement] for loads of classes");
}

}  // namespace weir
