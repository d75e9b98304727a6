// The executor's side of core/exec/init_protocol.h: writes the plan of a weir-init, reads its record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/exec/init_protocol.h"
#include "core/model/job_result.h"

namespace weir {

struct InitStep {
  std::vector<std::string> argv;
  std::string directory;  // as the job sees it
  std::vector<std::string> plain =
      {};  // tried first; if it cannot be started, argv is (core/exec/plain_command.h)
};

struct InitMount {
  std::string from;  // as weir-init sees it; empty: a new tmpfs
  std::string to;
};

struct InitPlan {
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<InitStep> steps;
  bool on_terminal = false;  // the standard descriptors are the user's own
  bool confined = false;     // in a sandbox
  bool user_namespaces = false;
  // For one that serves inside of bubblewrap.
  bool own_namespaces = false;
  std::vector<InitMount> mounts = {};
};

struct InitStepRecord {
  std::uint32_t step = 0;
  init::StepEnd end = init::StepEnd::exited;
  int value = 0;  // exit code, signal or errno, by `end`
  Time begin{};
  Time finish{};
  Usage usage;
};

struct InitRecord {
  std::vector<InitStepRecord> steps;
  Usage usage;                    // of the whole job so far
  bool complete = false;          // ends with the mark; if not, weir-init was killed or never ran
  bool at_process_limit = false;  // when a step failed, not one more process could be started
  std::uint32_t processes = 0;    // when a step failed: the most that were seen at once, with threads
  bool begun = false;             // in namespaces of its own: something of the job may have run
  // Nothing that weir-init saw went wrong; steps may be missing all the same.
  bool all_good() const {
    return complete && !steps.empty() && steps.back().end == init::StepEnd::exited && steps.back().value == 0;
  }
};

// The memory file that both share.
class PlanFile {
 public:
  // With room for this plan and its record.
  static Result<PlanFile> make(const InitPlan& plan);
  PlanFile() = default;
  ~PlanFile();
  PlanFile(PlanFile&& other) noexcept { swap(other); }
  PlanFile& operator=(PlanFile&& other) noexcept {
    swap(other);
    return *this;
  }

  // In the place of one that is over; false: there is no room for it.
  bool replace(const InitPlan& plan);

  int fd() const { return fd_.get(); }
  // What weir-init wrote up to now; a record that is cut off gives the steps that are whole.
  InitRecord record() const;
  Usage live_usage() const;
  void want(init::Wanted wanted);

 private:
  bool put(const std::string& bytes, std::size_t record);
  void swap(PlanFile& other) noexcept;

  UniqueFd fd_;
  char* map_ = nullptr;
  std::size_t size_ = 0;
  std::size_t used_ = 0;  // with the record
  std::size_t steps_ = 0;
};

}  // namespace weir
