// One plan that a weir-init works off. Tells its owner of output and, once, of its end: when the process was
// reaped, or said that it is done, and all its output was read. For .cpp files of core/exec only: it brings
// in Boost. Loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "core/exec/init_plan.h"
#include "core/exec/init_process.h"
#include "core/exec/isolation.h"
#include "core/exec/job_desk.h"
#include "core/exec/jobserver.h"
#include "core/exec/sandbox.h"
#include "core/exec/tree_control.h"

namespace weir {

struct ProcessSetup {
  std::string init;  // path of weir-init
  Isolation isolation = Isolation::pid_namespace;
  const SandboxPlan* sandbox = nullptr;
  std::uint64_t sandbox_namespaces = 0;  // as find_sandbox_namespaces says
  int null_device = -1;
  int cgroup = -1;
  std::uint32_t most_processes = 0;
  const Jobserver* jobserver = nullptr;
  // One that waits for a plan, with its desk; null: one is started.
  std::shared_ptr<InitProcess> idle;
  std::shared_ptr<JobDesk> desk;
  // Without a namespace of its own weir-init could not know that nothing of a job is left.
  bool serves() const { return sandbox ? sandbox->serves != nullptr : isolation != Isolation::subreaper; }
};

struct ProcessEnd {
  int status = 0;  // of the direct child, as waitpid gives it
  InitRecord record;
  bool sandboxed = false;
  bool inside_ended = false;  // bubblewrap saw the end of the inside
};

class JobProcess : public std::enable_shared_from_this<JobProcess> {
 public:
  struct Hooks {
    std::function<void(std::string_view)> output;
    std::function<void(ProcessEnd)> ended;
  };

  JobProcess(boost::asio::io_context& loop, Hooks hooks);
  ~JobProcess();
  Status start(const InitPlan& plan, const ProcessSetup& setup);

  pid_t pid() const { return init_->pid(); }
  // The process that is weir-init, as seen from here; 0 while bubblewrap has not made it yet.
  pid_t init_pid() const { return sandboxed_ ? init_->inner_pid() : pid(); }
  // After the end: whether the weir-init is done with this plan and nothing ever came in between. Then it can
  // be taken away.
  bool is_idle() const { return done_ && !signalled_ && init_->is_running(); }
  std::shared_ptr<InitProcess> take_init() { return std::move(init_); }
  std::shared_ptr<JobDesk> take_desk() { return std::move(desk_); }
  void terminate();
  void hold(bool held);
  void kill();
  Usage live_usage() const { return desk_->plan().live_usage(); }
  // Synchronous: waits for the end of all its processes; no hook is called any more.
  void await_end();

 private:
  Status spawn_child(const ProcessSetup& setup, int output, int plan);
  bool give_to_idle(const InitPlan& plan, const ProcessSetup& setup);
  Status give_to_new(const InitPlan& plan, const ProcessSetup& setup);
  bool hand_plan(const ProcessSetup& setup, int output);
  void listen();
  bool take_output();
  bool drain_output();
  void inside_learnt();
  void signal_init(int signal);
  void signal_term();
  void look();
  void finish_if_over();
  void close_all();

  boost::asio::io_context& loop_;
  Hooks hooks_;
  std::shared_ptr<InitProcess> init_;
  std::shared_ptr<JobDesk> desk_;
  boost::asio::steady_timer late_output_;
  int exit_status_ = 0;
  bool sandboxed_ = false;
  bool alone_ = false;         // no pid namespace: weir-init does the killing
  bool in_namespace_ = false;  // what we started is PID 1 of a pid namespace
  bool exited_ = false;        // or done with the plan
  bool done_ = false;          // and waits for another one
  bool signalled_ = false;
  bool output_ended_ = false;
  bool ended_ = false;
  bool pending_term_ = false;
  bool pending_look_ = false;
};

}  // namespace weir
