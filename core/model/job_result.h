// How a job ended. The record comes from the job itself (weir-init writes it); success is never inferred from
// the exit code of a launcher.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"

namespace weir {

enum class Ending : std::uint8_t { succeeded, failed, cancelled, skipped };

// Why a job failed. Decides on retry, on what is remembered (only `command`) and on the exit code.
enum class Failure : std::uint8_t {
  none,
  command,  // a command of the user ended with an exit code or a signal
  source,   // what came is not what was asked for
  timeout,  // ran longer than its limit
  stall,    // wrote nothing for longer than its limit
  oom,      // ran out of memory
  network,
  infra,  // the sandbox or this machine could not do it
  lost,   // the executor never told how it ended
};
inline constexpr std::size_t kFailures = 9;

std::string_view to_string(Ending ending);
std::string_view to_string(Failure failure);

struct Usage {
  Duration cpu{};                // user + system, of all processes of the job
  std::uint64_t peak_bytes = 0;  // of all processes of the job together
  bool operator==(const Usage&) const = default;
};

struct StepRecord {
  std::uint32_t step = 0;  // position in JobSpec::steps
  int exit = 0;            // exit code, or 128 + signal
  Duration wall{};
  Usage usage;
  bool operator==(const StepRecord&) const = default;
};

struct JobResult {
  Ending ending = Ending::succeeded;
  Failure failure = Failure::none;
  int exit = 0;     // of the step that failed
  int signal = 0;   // that ended it; 0 for an exit
  Duration wall{};  // running time, without suspended time
  Usage usage;
  std::string evidence;  // what tells the class, for people: "killed by SIGKILL that weir did not send"
  std::vector<StepRecord> steps;
  std::vector<std::string>
      outputs;                // digests: the tree of each output of the spec, then what the executor adds
  bool plugin_fault = false;  // a plugin broke its own rules, whatever the class
  bool operator==(const JobResult&) const = default;
};

}  // namespace weir
