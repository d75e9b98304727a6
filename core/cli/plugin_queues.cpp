#include "core/cli/plugin_queues.h"

#include <algorithm>

namespace weir::cli {

std::unique_ptr<Queue> PluginQueues::make(std::string_view name, PluginQueue::Place place) {
  const auto at = std::find_if(queues_.begin(), queues_.end(),
                               [&](const ResolvedQueue& queue) { return queue.name == name; });
  if (at == queues_.end()) return nullptr;
  runs_.push_back(std::make_unique<QueueRuns>(parts_, *at, place));
  return std::make_unique<PluginQueue>(at->name, place, *runs_.back(), build_, needs_.at(at->name));
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
