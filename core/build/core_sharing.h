// How the cores of a job come to its commands. Found out when the job is planned and no part of any key.
//
// A jobserver is the best there is: it is exact, and it follows a job that gets more cores or gives some
// back. What a command says of "%{jobs}" decides whether it can have one:
//   - a command that is make itself ("make -j%{jobs}", and cmake --build of a tree for make) means all that
//     the job has. That is what a jobserver says, so the number is left out: with one, make would count for
//     itself
//   - the same goes for ninja from 1.13 on, which wants a fifo; makes before 4.4 end at the sight of a fifo,
//     so not beside those
//   - any other command that says it counts for itself. If such a job may grow, it runs as many processes as
//     it may ever have cores, on as many CPUs as it has
//   - a job that never says it has a jobserver: scripts that run make or cargo share without a word
// A job that has one core and never more has none: there is nothing to share, and programs that close what
// they inherit (Python does) would make a make below them complain.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/build/environment.h"
#include "core/model/job_spec.h"
#include "core/project/element.h"

namespace weir {

// What the tools say of their versions, as far as that is known; empty: not.
struct CoreTools {
  std::string_view make;
  std::string_view ninja;
  // The kind is one that runs make: the job grows also if commands of the user replace those of the kind.
  bool kind_runs_make = false;
};

// Those of weir that docs/cores.md names.
bool is_kind_that_runs_make(std::string_view kind);

struct CorePlan {
  std::uint32_t least = 1;
  std::uint32_t most = 0;  // 0: it does not grow
  std::uint32_t jobs = 1;  // what "%{jobs}" becomes
  CoreSharing sharing = CoreSharing::none;
  bool operator==(const CorePlan&) const = default;
};

// Leaves numbers out of `steps` where a jobserver says them. `there` is how many cores the run has; 0: not
// known.
CorePlan plan_cores(const Element::Cores& asked, std::uint32_t there, const CoreTools& tools,
                    std::vector<Step>& steps, const Environment& environment);

}  // namespace weir
