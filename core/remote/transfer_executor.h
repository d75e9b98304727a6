// Runs pull and push jobs, each on a thread of its own that waits for the network; all other jobs go to the
// executor below. The loop waits for none of it, and no arena is held.
//
// The result of a pull that succeeded has as outputs: the output tree, the recipe, the log, and the facts of
// the build (action_result.h). One that brought nothing is `skipped`, with the failure `source` if no remote
// has the artifact, `network` if one could not be used. A push fails with `network` if a remote that requires
// it could not be given the artifact; else its output says what became of it (push_end): it is `skipped`
// unless something was given.
//
// Thread: the loop's, as for every executor. The store, the remotes and the sinks outlive it.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/model/executor.h"
#include "core/remote/push.h"
#include "core/remote/transfer.h"
#include "core/store/store.h"

namespace weir {

struct PushTarget {
  RemoteLine* line;
  bool required = false;
};

namespace push_end {
inline constexpr std::string_view kPushed = "pushed", kHadIt = "had it", kTrouble = "trouble";
}

// What a job moved, for people.
struct TransferReport {
  JobId job;
  std::string remote;
  bool push = false;
  Moved moved;
};

struct TransferParts {
  store::Store& store;
  const Clock& clock;
  std::function<std::vector<RemoteLine*>()> pull_from;  // on the loop's thread, when a job starts
  std::function<std::vector<PushTarget>()> push_to;     // the same
  std::function<void(const TransferReport&)> report;    // any thread
  std::string log_directory = {};  // what a build wrote comes with its artifact: "<job id>.log"
};

class TransferExecutor final : public Executor {
 public:
  TransferExecutor(Executor& below, TransferParts parts);
  ~TransferExecutor() override;

  void start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) override;
  void suspend(JobId job) override;
  void resume(JobId job) override;
  void stop(JobId job, StopReason reason, Duration grace) override;
  void set_cores(JobId job, std::uint32_t cores) override { below_.set_cores(job, cores); }
  void join() override;

 private:
  struct Transfer;
  Transfer* find(JobId job);
  void forget_ended();
  void end_all();

  Executor& below_;
  TransferParts parts_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Transfer>> transfers_;
};

}  // namespace weir
