// What the end of a weir-init means: the class of a failure and its evidence. Pure.
#pragma once

#include <optional>
#include <span>

#include "core/exec/init_plan.h"
#include "core/model/job_result.h"
#include "core/model/job_spec.h"

namespace weir {

struct EndOfProcess {
  int status = 0;  // of the direct child, as waitpid gives it
  InitRecord record;
  std::size_t planned_steps = 0;
  bool sandboxed = false;
  bool inside_ended = false;    // bubblewrap saw the end of the inside
  bool killed_by_us = false;    // weir sent KILL
  std::uint64_t oom_kills = 0;  // in the job's cgroup, while it ran
  std::uint64_t oom_kills_around =
      0;  // in the cgroup that it shares with others, and they explain its failure
  std::optional<std::uint64_t> address_space;  // its limit
  std::uint32_t most_processes = 0;            // that it might have at once; 0: not known
  bool disk_full = false;                      // the one of its files, when it ended
  std::string_view output;                     // the tail: bubblewrap says there why it failed
  std::span<const ExitMeaning> meanings;       // of the exit codes of that step
  std::string_view program;                    // argv[0] or the directory of the last step in the record
};

struct Verdict {
  Failure failure = Failure::none;
  int exit = 0;
  int signal = 0;
  std::string evidence;
};

Verdict classify(const EndOfProcess& end);

}  // namespace weir
