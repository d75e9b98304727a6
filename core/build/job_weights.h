// How long the build of each element will take, for the order of jobs: what takes long, and what much is
// built upon, starts first. By element, in milliseconds:
//
//   built before                 the median of its last five builds
//   never built                  the median of its kind in this project, or of all
//   nothing was ever built       by kind and size, as far as the plan knows it without another look at
//                                anything: the usual time of a kind (a stack or an import runs nothing,
//                                configure scripts take longest), times the commands that are written down,
//                                and more for more files at the top of its sources. Only the ratios matter,
//                                and only once.
//   runs nothing                 next to nothing
#pragma once

#include <cstdint>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/durations.h"

namespace weir {

struct JobWeights {
  // What is not planned is 0: it makes nobody's way longer; if it is planned later, it comes behind.
  std::vector<std::uint32_t> weights;
  // What making it took before, 0 where that is not known: for people. Empty: nothing is.
  std::vector<std::uint32_t> recorded;
};

JobWeights weigh_jobs(const BuildPlan& plan, const Durations& durations);

}  // namespace weir
