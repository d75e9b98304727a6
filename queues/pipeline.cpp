#include "queues/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "queues/build_queue.h"
#include "queues/pull_queue.h"
#include "queues/push_queue.h"
#include "queues/track_queue.h"

namespace weir {

namespace {

constexpr std::array kOrder = {TrackQueue::kName, PullQueue::kName, FetchQueue::kName, BuildQueue::kName,
                               PushQueue::kName};

std::unique_ptr<Queue> make_queue(std::string_view name, const RowParts& parts) {
  if (name == TrackQueue::kName) return std::make_unique<TrackQueue>(parts.sources, parts.download);
  if (name == PullQueue::kName)
    return std::make_unique<PullQueue>(parts.artifacts, parts.remotes, parts.pull, parts.pull_rule);
  if (name == FetchQueue::kName)
    return std::make_unique<FetchQueue>(parts.sources, parts.artifacts, parts.download, parts.fetch_rule,
                                        parts.later_sources);
  if (name == BuildQueue::kName) return std::make_unique<BuildQueue>(parts.artifacts, parts.build);
  if (name == PushQueue::kName)
    return std::make_unique<PushQueue>(parts.artifacts, parts.remotes, parts.upload, parts.push_gates,
                                       parts.asked_to_push);
  return nullptr;
}

Error unknown_queue(std::string_view name) {
  const auto near = did_you_mean(name, kOrder);
  return {Reason::project, fmt::format("there is no queue \"{}\"", name),
          near ? fmt::format("did you mean \"{}\"?", *near)
               : fmt::format("known queues: {}", fmt::join(kOrder, ", "))};
}

}  // namespace

std::span<const std::string_view> own_queues() { return kOrder; }

bool is_own_queue(std::string_view name) {
  return std::find(kOrder.begin(), kOrder.end(), name) != kOrder.end();
}

Status check_row(std::span<const std::string_view> names) {
  if (names.empty()) return fail(Reason::project, "the row of queues is empty", "name at least one queue");
  const std::string_view* last = nullptr;
  bool fetched = false;
  for (const auto& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1 && !is_own_queue(name))
      return fail(Reason::project, fmt::format("the queue \"{}\" is there twice", name));
    if (!is_own_queue(name) && !fetched)
      return fail(Reason::project, fmt::format("the queue \"{}\" cannot come before \"fetch\"", name),
                  "there is nothing for it to work on");
    if (!is_own_queue(name)) continue;
    const auto* position = std::find(kOrder.begin(), kOrder.end(), name);
    if (last && position <= last)
      return fail(Reason::project, fmt::format("the queue \"{}\" cannot come after \"{}\"", name, *last),
                  fmt::format("the order is {}", fmt::join(kOrder, ", ")));
    last = position;
    fetched |= name == FetchQueue::kName;
  }
  return {};
}

Result<Row> make_row(std::span<const std::string_view> names, const RowParts& parts) {
  Row row;
  for (const auto name : names) {
    const auto place =
        row.makes == Row::kNone ? PluginQueue::Place::before_build : PluginQueue::Place::behind_build;
    auto queue = make_queue(name, parts);
    if (!queue && parts.plugin_queue) queue = parts.plugin_queue(name, place);
    if (!queue) return tl::unexpected(unknown_queue(name));
    if (name == TrackQueue::kName && names.size() > 1) row.entry = 1;
    if (name == BuildQueue::kName) row.makes = row.queues.size();
    row.queues.push_back(std::move(queue));
  }
  if (auto good = check_row(names); !good) return tl::unexpected(good.error());
  return row;
}

}  // namespace weir
