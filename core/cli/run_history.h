// Runs that were, or are under way, read from their events (core/report/run_record.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cli/run_folder.h"
#include "core/report/run_record.h"

namespace weir::cli {

// What a run was and how it ended. Only the first and the last events are read, so it has no jobs worth
// speaking of.
RunRecord read_ends(const PastRun& run);

// In the order in which they started. A file that is not there has none.
std::vector<RecordedJob> read_jobs(const std::string& events_file);

// Without an end in its events: whether its weir still holds the lock on its folder.
RunStand stand_of(const PastRun& run, const RunRecord& record);

// Of `runs`, newest first: the one with that number, or for 0 the newest.
Result<PastRun> find_run(std::span<const PastRun> runs, std::uint64_t number);

}  // namespace weir::cli
