// What a run can be asked and told through its control socket, done by its scheduler.
//   settings: tokens {"process": 4, ..}, and what the allocator knows (loads, requestors, ..). One of a group
//   can be set by its
//   own name: "tokens.process", "loads.ci".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/cli/submissions.h"
#include "core/control/run_control.h"
#include "core/scheduler/scheduler.h"

namespace weir::cli {

class RunOrders final : public RunControl {
 public:
  struct Parts {
    Scheduler& scheduler;
    const Ledger& ledger;
    Emitter& events;
    std::uint64_t run;
    std::string project;
    std::string requestor;     // of the run itself, and of who submits without a name
    Submissions* submissions;  // none: the run does not build
  };
  explicit RunOrders(Parts parts) : parts_(std::move(parts)) {}

  std::string status() const override;
  Status cancel(const std::string& job) override;
  Status suspend(const std::string& job) override;
  Status resume(const std::string& job) override;
  void submit(const std::string& requestor, const std::vector<std::string>& targets, Submitted done) override;
  std::string settings() const override;
  Status set(const std::string& name, const std::string& json) override;
  Status worker(const std::string& name, WorkerOrder order) override;

 private:
  using Find = Result<JobId> (Scheduler::*)(std::string_view) const;
  Status order(std::string_view what, const std::string& job, Find find, LoopInput all,
               LoopInput (*one)(JobId));
  void note(std::string_view what, std::string_view name);
  Status can_still_be_built(const std::vector<ElementId>& targets) const;
  Status set_tokens(const std::string& json);

  Parts parts_;
};

// For people and scripts: what `weir ctl status --json` prints.
std::string status_json(const RunStatus& status, std::uint64_t run, std::string_view project);

}  // namespace weir::cli
