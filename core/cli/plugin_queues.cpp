#include "core/cli/plugin_queues.h"

#include <algorithm>

#include "core/base/assert.h"

namespace weir::cli {

const ResolvedQueue* PluginQueues::find(std::string_view name) const {
  const auto at = std::find_if(queues_.begin(), queues_.end(),
                               [&](const ResolvedQueue& queue) { return queue.name == name; });
  return at == queues_.end() ? nullptr : &*at;
}

std::unique_ptr<Queue> PluginQueues::make(std::string_view name, PluginQueue::Place place) {
  const auto* queue = find(name);
  if (!queue) return nullptr;
  runs_.push_back(std::make_unique<QueueRuns>(parts_, *queue, place));
  if (may_be_pushed_) runs_.back()->guard_push(may_be_pushed_);
  return std::make_unique<PluginQueue>(queue->name, place, *runs_.back(), build_, needs_.at(queue->name));
}

void PluginQueues::add_gate(std::string_view name, PluginQueue::Place place) {
  const auto* queue = find(name);
  WEIR_ASSERT(queue, "the queue {} of the project was not resolved", name);
  runs_.push_back(std::make_unique<QueueRuns>(parts_, *queue, place));
  runs_.back()->only_look();
  gates_.push_back(runs_.back().get());
}

Verdict PluginQueues::passed(ElementId element) {
  for (const auto& runs : runs_)
    if (runs->went_on_unproven(element)) return Verdict::skip(Why::gate_not_passed);
  for (auto* gate : gates_)
    if (const auto verdict = gate->as_gate(element); verdict.kind != Verdict::Kind::ready) return verdict;
  return Verdict::ready();
}

void PluginQueues::only(std::span<const ElementId> elements) {
  for (const auto& runs : runs_) runs->only(elements);
}

void PluginQueues::force() {
  for (const auto& runs : runs_) runs->force();
}

Answer PluginQueues::wants_sources(ElementId element) {
  auto answer = Answer::no;
  for (const auto& runs : runs_) {
    const auto one = runs->wants_sources(element);
    if (one == Answer::later) return one;
    if (one == Answer::yes) answer = one;
  }
  return answer;
}

Status PluginQueues::finish() {
  Status first;
  for (const auto& runs : runs_)
    if (auto kept = runs->finish(); !kept && first) first = kept;
  return first;
}

}  // namespace weir::cli
