// The one list of all queues, and the rows that commands use.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "queues/backends.h"
#include "queues/fetch_queue.h"
#include "queues/plugin_queue.h"
#include "queues/pull_queue.h"
#include "queues/push_queue.h"
#include "queues/queue.h"

namespace weir {

struct Row {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::unique_ptr<Queue>> queues;
  // Where wanted elements go on: queues before it (track) take every element of the plan, those from it on
  // only what somebody wants.
  std::size_t entry = 0;
  // Whoever left this queue (build) has an artifact; kNone in rows that make nothing.
  std::size_t makes = kNone;
};

struct RowParts {
  Sources& sources;
  Artifacts& artifacts;
  Remotes& remotes;
  NeedsTable download;  // track, fetch
  NeedsTable build;
  NeedsTable upload;  // push
  NeedsTable pull;
  PullQueue::Rule pull_rule = PullQueue::Rule::if_possible;
  FetchQueue::Rule fetch_rule = FetchQueue::Rule::only_to_build;
  // Queues of plugins, by name; nothing for a name that is not known.
  std::function<std::unique_ptr<Queue>(std::string_view name, PluginQueue::Place place)> plugin_queue = {};
  LaterSources* later_sources = nullptr;
  PushGates* push_gates = nullptr;
  std::vector<ElementId> asked_to_push = {};  // of `weir push`
};

// Those that are not of plugins, in their order.
std::span<const std::string_view> own_queues();
bool is_own_queue(std::string_view name);

// Doubles and an order that cannot work (track is first, pull before fetch, fetch before build, build before
// push; queues of plugins behind fetch) are refused with what to do.
Status check_row(std::span<const std::string_view> names);

// In the given order; as check_row, and unknown names are refused.
Result<Row> make_row(std::span<const std::string_view> names, const RowParts& parts);

}  // namespace weir
