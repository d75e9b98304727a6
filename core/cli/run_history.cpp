#include "core/cli/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/cli/folder_lock.h"
#include "core/report/event_file.h"

namespace weir::cli {

RunRecord read_ends(const PastRun& run) {
  RunRecord record;
  EventFile events(run.events());
  record.take_one(events);
  // The last line may be long: it names the jobs of the critical path.
  constexpr std::streamoff kFirstTry = 16 * 1024;
  for (auto bytes = kFirstTry; events.skip_to_last(bytes) && record.take(events) == 0; bytes *= 8) {
  }
  record.take(events);
  return record;
}

std::vector<RecordedJob> read_jobs(const std::string& events_file) {
  RunRecord record;
  EventFile events(events_file, {"job.start", "job.end"});
  record.take(events);
  return record.jobs();
}

RunStand stand_of(const PastRun& run, const RunRecord& record) {
  if (record.end()) return RunStand::over;
  // A run makes the folder of its logs when it has its lock; to try before could take the lock from it.
  std::error_code ignored;
  const bool locked_once = std::filesystem::exists(run.path + "/logs", ignored);
  // A shell in what a run left shares the lock.
  return locked_once && share_folder(run.path) ? RunStand::killed : RunStand::running;
}

Result<PastRun> find_run(std::span<const PastRun> runs, std::uint64_t number) {
  if (runs.empty()) return fail(Reason::not_found, "this project has no runs yet", "`weir build` makes one");
  if (number == 0) return runs.front();
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const PastRun& run) { return run.number == number; });
  if (found != runs.end()) return *found;
  return fail(Reason::not_found, fmt::format("there is no run {}", number),
              fmt::format("the newest is {}; without --run it is taken", runs.front().number));
}

}  // namespace weir::cli
