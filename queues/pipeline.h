// The one list of all queues, and the rows that commands use.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "queues/backends.h"
#include "queues/fetch_queue.h"
#include "queues/queue.h"

namespace weir {

struct Row {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::unique_ptr<Queue>> queues;
  // Where wanted elements go on: queues before it (track) take every element of the plan, those from it on only what
  // somebody wants.
  std::size_t entry = 0;
  // Whoever left this queue (build) has an artifact; kNone in rows that make nothing.
  std::size_t makes = kNone;
};

struct RowParts {
  Sources& sources;
  Artifacts& artifacts;
  Remotes& remotes;
  NeedsTable download;  // track, pull, fetch
  NeedsTable build;
  NeedsTable upload;  // push
  FetchQueue::Rule fetch_rule = FetchQueue::Rule::only_to_build;
};

// In the given order. Unknown names, doubles and an order that cannot work (track is first, pull before fetch, fetch
// before build, build before push) are refused with what to do.
Result<Row> make_row(std::span<const std::string_view> names, const RowParts& parts);

}  // namespace weir
