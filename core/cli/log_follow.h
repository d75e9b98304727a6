// weir log --follow: what a job of a run that is under way writes, as it writes it.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/cli/log_search.h"

namespace weir::cli {

struct FollowedLog {
  std::function<void()> waiting;               // no job of the element has started yet
  std::function<void(const FoundLog&)> begin;  // a job whose log comes now
  std::function<Status(std::string_view)>
      more;  // of its log; a reader that went away is an error with Reason::cancelled
  std::function<void(const FoundLog&)> end;  // all of it was told
};

// Shows the job of the element that runs now, or the next that starts, to its end; a job that failed and is
// tried again is followed by its next attempt. False: there is nothing to follow, since the run is over or
// has no more jobs for the element.
Result<bool> follow_log(const LogQuery& query, const PastRun& run, const FollowedLog& told);

}  // namespace weir::cli
