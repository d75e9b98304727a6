// Runs jobs on this machine. In-process steps (copy, write) run in the arena `store`, or inline if tiny; each
// row of process steps (run, download, unpack) is one weir-init, in its own pid namespace or inside
// bubblewrap (core/exec/weir_init, sandbox.h). Downloads and unpacking are runs of weir-transfer
// (core/exec/weir_transfer), in jobs without a sandbox only; they use the folder "downloads" in the root
// "cache".
//
// Output goes through one pipe per job to its log file, the last 64 KiB stay in memory, and the sink gets the
// bytes. A job is read no faster than the loop takes it: the pipe is the only buffer, so a chatty job waits
// and weir does not grow.
//
// Suspend, resume and kill reach every process of the job (tree_control.h). Nothing outlives weir: weir-init
// dies with the loop's thread, and its namespace with it.
//
// Thread: all methods on the loop's thread, which must also be the one that runs the io_context (the death
// signal of the children follows the thread that spawned them). The io_context, the arenas and the sinks
// outlive the executor.
#pragma once

#include <memory>
#include <string>

#include "core/exec/file_steps.h"
#include "core/exec/sandbox.h"
#include "core/exec/tree_control.h"
#include "core/model/executor.h"
#include "resources/arenas.h"

namespace boost::asio {
class io_context;
}

namespace weir {

// Whether a job without bubblewrap gets a pid namespace; `automatic` is the best that works here.
enum class IsolationChoice : std::uint8_t { automatic, pid_namespace, user_and_pid_namespace, subreaper };

struct StagedJob {
  std::vector<StagedInput> inputs;
  bool done = false;  // there is nothing left to run: the outputs follow from the inputs
  // There is nothing where LD_LIBRARY_PATH leads, so it is empty for the job: below a search path that is not
  // there the loader looks in some forty places for each library of each program. Not unset: a shell may be
  // told to mind that.
  bool no_libraries = false;
};
void clear_library_path(std::vector<std::pair<std::string, std::string>>& environment);

struct LocalExecutorOptions {
  // The real directory of a root (build, install, source, project, cache) of a job; empty: the job has none.
  // It must exist. Called on the loop's thread and, for in-process steps, in an arena.
  std::function<std::string(JobId, const JobSpec&, std::string_view root)> directory;
  // Makes the inputs and directories of a job be there; called in the arena `store` before its first step,
  // only for jobs that have inputs or outputs. An error ends the job: what a project can mend as `command`,
  // or as `source` if the job has the network to bring sources; the rest as `infra`.
  std::function<Result<StagedJob>(JobId, const JobSpec&)> stage;
  // Takes the outputs of a job that succeeded; called in the arena `store` after its last step, only for jobs
  // that have outputs. Gives JobResult::outputs; errors as above.
  std::function<Result<std::vector<std::string>>(JobId, const JobSpec&, const std::string& log)> collect;
  // Whether the inputs of a job are still what was staged; called in the arena `store` after a command of a
  // job with inputs has failed. An error: the failure is `infra`, and no fault of the command. May be empty.
  std::function<Status(JobId, const JobSpec&)> check_inputs;
  // Whether what stage() has to do now is less than a hand-over to the arena costs; then it is called on the
  // loop's thread. May be empty: never.
  std::function<bool(const JobSpec&)> stages_little;
  // collect() on the loop's thread, for a job that left less than a hand-over costs; gives nothing if it did
  // nothing. May be empty.
  std::function<std::optional<Result<std::vector<std::string>>>(JobId, const JobSpec&,
                                                                const std::string& log)>
      collect_little;
  std::string log_directory;  // "<job id>.log" in it, made with the first byte of output
  std::string init;           // weir-init; empty: beside the running program
  std::string transfer;       // weir-transfer; empty: beside the running program
  std::string bwrap;          // bubblewrap; empty: from PATH
  TreeControlKind tree_control = TreeControlKind::automatic;
  IsolationChoice isolation = IsolationChoice::automatic;
  // Pins each job to as many CPUs as it has cores, the least used ones. Tools that ask for the number of CPUs
  // then see their share; off by default, since a pinned job cannot use what others leave idle.
  bool pin_cores = false;
  // Where jobs have their folders and inputs; with it a sandbox may serve several of them. Empty: each job
  // has its own.
  ServedFolders served;
};

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(boost::asio::io_context& loop, Arenas& arenas, LocalExecutorOptions options);
  ~LocalExecutor() override;  // joins

  void start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) override;
  void suspend(JobId job) override;
  void resume(JobId job) override;
  void stop(JobId job, StopReason reason, Duration grace) override;
  // A job that shares its cores by a jobserver has more or fewer tokens in it. Of others every thread is set
  // to that many CPUs, the least used ones; later threads inherit it.
  void set_cores(JobId job, std::uint32_t cores) override;
  void join() override;

  // The last 64 KiB of output; until ended() of the job has returned.
  std::string_view tail(JobId job) const;
  // What the job used up to now, as far as weir-init has looked (it does so every 4 to 250 ms).
  Usage usage(JobId job) const;
  // What was found on this machine.
  TreeControlKind tree_control() const;
  IsolationChoice isolation() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir
