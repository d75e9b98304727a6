// What a failed build left: the files in the run's folder stay until the next run starts.
#pragma once

#include <span>
#include <string>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/cli/run_folder.h"

namespace weir::cli {

struct KeptBuild {
  std::uint64_t run = 0;
  std::string work;  // has `build` and `install`
  std::string key;   // the recipe key of that time; empty: not known
  UniqueFd lock;     // no other weir removes it meanwhile
};

// Of the newest run in which a build of the element failed; `runs` newest first. `bare` is where it would be
// if that was without a sandbox, and is where to look if `sandboxed` is false. Nothing that is kept:
// Reason::not_found.
Result<KeptBuild> find_kept_build(std::span<const PastRun> runs, const std::string& element,
                                  const std::string& bare, bool sandboxed);

}  // namespace weir::cli
