#include "core/cli/kept_build.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "core/cli/folder_lock.h"
#include "core/cli/run_history.h"

namespace weir::cli {

namespace {

struct Failed {
  PastRun run;
  RecordedJob job;
};

std::optional<Failed> last_failure(std::span<const PastRun> runs, const std::string& element) {
  for (const auto& run : runs)
    for (auto& job : read_jobs(run.events()))
      if (job.element == element && job.queue == "build" && job.failed()) return Failed{run, std::move(job)};
  return std::nullopt;
}

bool has_files(const std::string& work) {
  std::error_code ignored;
  return std::filesystem::is_directory(work + "/build", ignored);
}

// A failure is remembered, so a plain build would not try again.
std::string again(const std::string& element) {
  return fmt::format("weir build --retry-failed {} makes them again, if it still fails", element);
}

}  // namespace

Result<KeptBuild> find_kept_build(std::span<const PastRun> runs, const std::string& element,
                                  const std::string& bare, bool sandboxed) {
  const auto failed = last_failure(runs, element);
  if (!failed)
    return fail(
        Reason::not_found, fmt::format("no build of {} has failed in the runs that are kept", element),
        fmt::format("weir build {0} builds it; without --failed, weir shell {0} has its sources", element));
  KeptBuild kept{failed->run.number, bare, failed->job.key, {}};
  if (sandboxed) {
    kept.work = failed->run.work(element);
    kept.lock = share_folder(failed->run.path);
    if (!kept.lock)
      return fail(Reason::not_found, fmt::format("run {} is still under way", kept.run),
                  "wait for its end, and try again");
  }
  if (has_files(kept.work)) return kept;
  if (sandboxed && has_files(bare))
    return fail(Reason::not_found, fmt::format("{} failed without a sandbox", element),
                fmt::format("weir shell --failed --sandbox none {}", element));
  return fail(
      Reason::not_found,
      fmt::format(
          "the files of {} in run {} are gone: they are kept until it is built again, or another build fails",
          element, kept.run),
      again(element));
}

}  // namespace weir::cli
