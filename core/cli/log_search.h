// Which log is meant: by element, run and queue, or all jobs that failed in the newest run.
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/cli/run_folder.h"
#include "core/cli/run_history.h"
#include "core/project/project.h"

namespace weir::cli {

struct LogQuery {
  std::string element;    // empty: all jobs that failed
  std::string queue;      // empty: any
  std::uint64_t run = 0;  // 0: the newest with such a job
};

struct FoundLog {
  PastRun run;
  RecordedJob job;
  std::string file() const { return run.log(job.id); }  // a job that wrote nothing has none
};

// Has nothing to say, unless something fails.
bool is_transfer(std::string_view queue);

// `runs` newest first. Of an element one log: of the last job that failed in that run, else of the last one.
// Without an element nothing may be found, which means that no job failed. The project need not be whole: its
// names only help to tell what was meant.
Result<std::vector<FoundLog>> find_logs(const LogQuery& query, const Project& project,
                                        std::span<const PastRun> runs);

}  // namespace weir::cli
