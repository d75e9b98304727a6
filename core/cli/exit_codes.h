// The exit codes of weir; scripts rely on them. Those of a run with failures come from
// core/scheduler/run_summary.h.
#pragma once

#include "core/base/result.h"

namespace weir::cli {

inline constexpr int kDone = 0;
inline constexpr int kJobFailed = 1;
inline constexpr int kSomethingWrong = 1;  // verify, doctor
inline constexpr int kUsage = 2;           // command line or project files
inline constexpr int kWorkLeft = 3;        // --check
inline constexpr int kInfrastructure = 4;
inline constexpr int kResources = 5;
inline constexpr int kBug = 70;
inline constexpr int kInterrupted = 130;
inline constexpr int kTerminated = 143;

inline int exit_code_of(const Error& error) {
  switch (error.reason) {
    case Reason::usage:
    case Reason::project:
    case Reason::not_found: return kUsage;
    case Reason::bug: return kBug;
    case Reason::cancelled: return kInterrupted;
    default: return kInfrastructure;
  }
}

}  // namespace weir::cli
