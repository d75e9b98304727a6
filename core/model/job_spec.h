// All that an executor ever gets: what to run, in which file trees, under which limits. Plain data without
// paths of this machine, so a job can run anywhere; its bytes are canonical and versioned (encode, decode).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/model/job_result.h"

namespace weir {

// A path inside the job: its first part is a root that the executor maps to a place of its own.
//   build/...    the build directory, where the sources are; every command starts there
//   install/...  the install root (DESTDIR)
//   source/...   what fetch brought, kept for later jobs of the element
//   project/...  the user's project, readable by copy steps of local sources only
//   cache/...    what source kinds keep between runs, such as git mirrors; only for jobs that track or fetch
using LogicalPath = std::string;

// What an exit code says of the class of a failure; the last line of the output is then the evidence.
struct ExitMeaning {
  int exit = 0;
  Failure failure = Failure::command;
  bool operator==(const ExitMeaning&) const = default;
};
struct RunStep {
  std::vector<std::string> argv;  // executed directly; a shell is argv[0] = "sh"
  LogicalPath directory = "build";
  std::vector<ExitMeaning> meanings;  // of exit codes; without one a failure is of the command
  bool operator==(const RunStep&) const = default;
};
struct DownloadStep {
  std::string url;
  LogicalPath to;
  std::string sha256;  // empty: not known yet (track)
  bool executable = false;
  bool operator==(const DownloadStep&) const = default;
};
struct UnpackStep {
  LogicalPath from;
  LogicalPath to;
  std::uint32_t strip = 0;  // leading path parts to drop
  bool operator==(const UnpackStep&) const = default;
};
struct CopyStep {
  LogicalPath from;
  LogicalPath to;
  bool operator==(const CopyStep&) const = default;
};
struct WriteStep {
  LogicalPath to;
  std::string content;
  bool executable = false;
  bool operator==(const WriteStep&) const = default;
};
// An artifact from a remote into the store, or from the store to the remotes that take it; the only step of
// its job. `recipe` is the document whose hash is its key.
struct PullStep {
  std::string recipe;
  bool operator==(const PullStep&) const = default;
};
struct PushStep {
  std::string recipe;
  bool operator==(const PushStep&) const = default;
};
using Step = std::variant<RunStep, DownloadStep, UnpackStep, CopyStep, WriteStep, PullStep, PushStep>;

enum class MountMode : std::uint8_t { read_only, private_copy };
// A tree of the store; later inputs lie over earlier ones.
struct Input {
  std::string tree;   // digest
  std::string mount;  // absolute path inside the job
  MountMode mode = MountMode::read_only;
  std::string owner;  // the element it comes from, for messages
  bool operator==(const Input&) const = default;
};

enum class SandboxRoot : std::uint8_t { none, host, staged };

struct Limits {
  Duration timeout{};  // running time; zero is none
  Duration stall{};    // running time without output; zero is none
  std::uint32_t cores = 1;
  std::uint64_t memory = 0;  // bytes; zero is none
  bool operator==(const Limits&) const = default;
};

// How the cores of a job come to its tools:
//   none      commands count for themselves, by what "%{jobs}" was when the job was planned
//   pipe      a jobserver of GNU make of the job's own, as descriptors; every make takes it
//   fifo      the same with a name, for ninja 1.13 and make 4.4: older makes end at the sight of it
//   affinity  the CPUs that it may use, for tools that know no jobserver
enum class CoreSharing : std::uint8_t { none, pipe, fifo, affinity };

struct JobSpec {
  std::string label;  // "app/build": for logs and people
  std::vector<Step> steps;
  std::vector<Input> inputs;
  std::vector<LogicalPath> outputs;
  std::vector<std::pair<std::string, std::string>> environment;  // sorted by name, names unique
  Limits limits;
  SandboxRoot sandbox = SandboxRoot::none;
  std::uint32_t uid = 0;         // inside the sandbox
  bool user_namespaces = false;  // inside the sandbox it may make some of its own
  bool network = false;
  CoreSharing sharing = CoreSharing::none;
  std::uint32_t most_cores = 0;  // limits.cores may grow up to here while others leave cores idle; 0: never
  bool operator==(const JobSpec&) const = default;
};

std::string encode(const JobSpec& spec);
// Refuses other versions, truncated or trailing bytes, and values out of range.
Result<JobSpec> decode_job_spec(std::string_view bytes);

}  // namespace weir
