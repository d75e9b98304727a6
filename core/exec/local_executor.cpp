#include "core/exec/local_executor.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <unordered_set>

#include "core/base/assert.h"
#include "core/exec/affinity.h"
#include "core/exec/classify.h"
#include "core/exec/companion.h"
#include "core/exec/disk_room.h"
#include "core/exec/idle_inits.h"
#include "core/exec/local_job.h"
#include "core/exec/oom_watch.h"
#include "core/exec/process_limit.h"
#include "core/exec/process_steps.h"

namespace weir {
namespace {

// A batch of writes this small is done before an arena would have woken up (an idle arena burns 114 us).
constexpr std::size_t kInlineBytes = 16 * 1024;
constexpr std::size_t kInlineFiles = 4;

Isolation isolation_of(IsolationChoice choice) {
  switch (choice) {
    case IsolationChoice::pid_namespace: return Isolation::pid_namespace;
    case IsolationChoice::user_and_pid_namespace: return Isolation::user_and_pid_namespace;
    case IsolationChoice::subreaper: return Isolation::subreaper;
    case IsolationChoice::automatic: break;
  }
  return find_isolation();
}

// Programs that a shell starts are told by it where they are; those that need no shell, by this.
void set_working_directory(InitPlan& plan) {
  const auto is = [](const auto& variable) { return variable.first == "PWD"; };
  const InitStep* first = nullptr;
  for (auto& step : plan.steps) {
    if (!step.plain.empty() && !first) first = &step;
    if (first && step.directory != first->directory) step.plain.clear();
  }
  if (first && std::none_of(plan.environment.begin(), plan.environment.end(), is))
    plan.environment.emplace_back("PWD", first->directory);
}

// Of the step that failed; 0: none, or not by an exit code.
int exit_of(const InitRecord& record) {
  const bool exited = !record.steps.empty() && record.steps.back().end == init::StepEnd::exited;
  return exited ? record.steps.back().value : 0;
}

StepStatus run_file_step(const Step& step, const StepContext& context) {
  return std::holds_alternative<CopyStep>(step) ? run_copy_step(step, context)
                                                : run_write_step(step, context);
}

}  // namespace

void clear_library_path(std::vector<std::pair<std::string, std::string>>& environment) {
  for (auto& [name, value] : environment)
    if (name == "LD_LIBRARY_PATH") value.clear();
}

struct LocalExecutor::Impl {
  Impl(boost::asio::io_context& io, Arenas& work, LocalExecutorOptions given)
      : loop(io),
        arenas(work),
        options(std::move(given)),
        null_device(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    if (options.init.empty()) options.init = find_companion("weir-init");
    if (options.transfer.empty()) options.transfer = find_companion("weir-transfer");
    if (options.bwrap.empty()) options.bwrap = find_program("bwrap");
    isolation = isolation_of(options.isolation);
    // A frozen weir-init could not hear of weir's death, and without a pid namespace that is what ends the
    // job.
    const bool may = isolation != Isolation::subreaper && options.tree_control != TreeControlKind::weir_init;
    if (may) cgroups = CgroupPool::open();
  }

  LocalJob* find(JobId id) {
    const auto at = jobs.find(id);
    return at == jobs.end() || at->second->finished ? nullptr : at->second.get();
  }

  // Runs the next row of steps, or ends the job.
  void advance(LocalJob& job);
  void stage(LocalJob& job);
  void staged(JobId id, Result<StagedJob> staged_job);
  void collect(LocalJob& job);
  void collected(JobId id, Result<std::vector<std::string>> outputs);
  void check_inputs(LocalJob& job, const std::string& evidence);
  void inputs_checked(JobId id, const std::string& evidence, const Status& checked);
  void fail_files(LocalJob& job, const Error& error);
  void run_in_process(LocalJob& job, std::size_t last);
  void steps_done(JobId id, std::size_t last, std::optional<StepError> error);
  void run_process(LocalJob& job, std::size_t last);
  Result<InitPlan> make_plan(const LocalJob& job, std::size_t last) const;
  Status launch(LocalJob& job, InitPlan plan);
  void process_ended(JobId id, std::size_t last, const ProcessEnd& end);
  void take_records(LocalJob& job, const InitRecord& record);
  void tell_started(LocalJob& job, std::int64_t pid);
  void output(LocalJob& job, std::string_view bytes);
  void fail_job(LocalJob& job, Failure failure, std::string evidence);
  void finish(LocalJob& job);
  void kill(LocalJob& job);
  void pin(LocalJob& job);
  void make_jobserver(LocalJob& job);
  void close_jobserver(LocalJob& job);
  void give_back(LocalJob& job);
  Result<SandboxPlan> plan_sandbox(const LocalJob& job);
  bool is_served(const SandboxPlan& sandbox);
  bool could_not_be_served(const LocalJob& job, const ProcessEnd& end) const;
  void keep_idle(LocalJob& job);
  std::string directory(const LocalJob& job, std::string_view root) const {
    return options.directory ? options.directory(job.id, *job.spec, root) : std::string();
  }

  boost::asio::io_context& loop;
  Arenas& arenas;
  LocalExecutorOptions options;
  SteadyClock clock;
  UniqueFd null_device;
  Isolation isolation = Isolation::subreaper;
  std::optional<std::uint64_t> sandbox_namespaces;  // found out with the first sandbox
  std::unique_ptr<CgroupPool> cgroups;
  OomWatch oom;
  const std::optional<std::uint64_t> address_space = address_space_limit();
  CpuShares cpus;
  std::unordered_map<JobId, std::unique_ptr<LocalJob>> jobs;
  IdleInits idle{cgroups};
  // Shapes that one job had. Most of a project whose elements have all different roots have no other, and a
  // sandbox that waits for one is a waste.
  std::unordered_set<std::string> shapes;
  bool sandboxes_serve = true;  // until it turns out that they cannot, here
  // Handlers that are on their way to the loop when the executor dies find this empty.
  std::shared_ptr<Impl*> alive = std::make_shared<Impl*>(this);
};

void LocalExecutor::Impl::advance(LocalJob& job) {
  const auto& steps = job.spec->steps;
  if (job.stopping) return finish(job);
  if (job.suspended) return;  // resume() comes back here
  const bool has_files = !job.spec->inputs.empty() || (!job.spec->outputs.empty() && options.stage);
  if (has_files && !job.staged) return stage(job);
  if (job.next_step == steps.size()) {
    const bool makes = !job.spec->outputs.empty() && options.collect;
    return makes && !job.collected ? collect(job) : finish(job);
  }
  auto last = job.next_step;
  const bool process = is_process_step(steps[last]);
  while (last < steps.size() && is_process_step(steps[last]) == process) ++last;
  process ? run_process(job, last) : run_in_process(job, last);
}

void LocalExecutor::Impl::stage(LocalJob& job) {
  if (!options.stage)
    return fail_job(job, Failure::infra, "this weir has no store to take the inputs of a job from");
  tell_started(job, 0);
  if (options.stages_little && options.stages_little(*job.spec))
    return staged(job.id, options.stage(job.id, *job.spec));
  job.in_arena = true;
  arenas.enqueue(ArenaKind::store, [this, weak = std::weak_ptr(alive), id = job.id, spec = job.spec] {
    boost::asio::post(loop, [weak, id, result = options.stage(id, *spec)]() mutable {
      if (const auto self = weak.lock()) (*self)->staged(id, std::move(result));
    });
  });
}

void LocalExecutor::Impl::staged(JobId id, Result<StagedJob> staged_job) {
  const auto job = find(id);
  if (!job) return;
  job->in_arena = false;
  if (!staged_job && !job->stopping) return fail_files(*job, staged_job.error());
  if (staged_job) {
    job->inputs = std::move(staged_job->inputs);
    job->no_libraries = staged_job->no_libraries;
    if (staged_job->done) job->next_step = job->spec->steps.size();
  }
  job->staged = true;
  advance(*job);
}

void LocalExecutor::Impl::collect(LocalJob& job) {
  tell_started(job, 0);
  if (options.collect_little)
    if (auto outputs = options.collect_little(job.id, *job.spec, job.log.path()))
      return collected(job.id, std::move(*outputs));
  job.in_arena = true;
  arenas.enqueue(ArenaKind::store,
                 [this, weak = std::weak_ptr(alive), id = job.id, spec = job.spec, log = job.log.path()] {
                   boost::asio::post(loop, [weak, id, outputs = options.collect(id, *spec, log)]() mutable {
                     if (const auto self = weak.lock()) (*self)->collected(id, std::move(outputs));
                   });
                 });
}

void LocalExecutor::Impl::collected(JobId id, Result<std::vector<std::string>> outputs) {
  const auto job = find(id);
  if (!job) return;
  job->in_arena = false;
  job->collected = true;
  if (!outputs && !job->stopping) return fail_files(*job, outputs.error());
  if (outputs) job->result.outputs = std::move(*outputs);
  finish(*job);
}

void LocalExecutor::Impl::fail_files(LocalJob& job, const Error& error) {
  const auto of_user = job.spec->network ? Failure::source : Failure::command;
  const auto failure = error.reason == Reason::project ? of_user : Failure::infra;
  job.result.plugin_fault = error.reason == Reason::bug;
  fail_job(job, failure, to_text(error));
}

void LocalExecutor::Impl::run_in_process(LocalJob& job, std::size_t last) {
  std::size_t bytes = 0;
  for (auto i = job.next_step; i < last; ++i) {
    const auto* write = std::get_if<WriteStep>(&job.spec->steps[i]);
    bytes += write ? write->content.size() : kInlineBytes + 1;
  }
  tell_started(job, 0);
  auto work = [this, &job, first = job.next_step, last]() -> std::optional<StepError> {
    const StepContext context{[&](std::string_view root) { return directory(job, root); }, &job.cancelled};
    for (auto i = first; i < last && !job.cancelled; ++i) {
      if (auto status = run_file_step(job.spec->steps[i], context); !status) return status.error();
    }
    return std::nullopt;
  };
  if (bytes <= kInlineBytes && last - job.next_step <= kInlineFiles) return steps_done(job.id, last, work());
  job.in_arena = true;
  // The job lives until its task is done: finish() waits for steps_done, join() for the arenas.
  arenas.enqueue(ArenaKind::store,
                 [this, weak = std::weak_ptr(alive), id = job.id, last, work = std::move(work)] {
                   boost::asio::post(loop, [weak, id, last, error = work()]() mutable {
                     if (const auto self = weak.lock()) (*self)->steps_done(id, last, std::move(error));
                   });
                 });
}

void LocalExecutor::Impl::steps_done(JobId id, std::size_t last, std::optional<StepError> error) {
  const auto job = find(id);
  if (!job) return;
  job->in_arena = false;
  if (error && !job->stopping) return fail_job(*job, error->failure, std::move(error->message));
  job->next_step = last;
  advance(*job);
}

Result<InitPlan> LocalExecutor::Impl::make_plan(const LocalJob& job, std::size_t last) const {
  InitPlan plan{job.spec->environment, {}, false};
  const ProcessStepContext context{[&](std::string_view root) { return directory(job, root); },
                                   job.spec->sandbox != SandboxRoot::none, options.transfer};
  // Commands of source kinds find there what they keep.
  if (const auto cache = context.sandboxed ? std::string() : directory(job, "cache"); !cache.empty())
    plan.environment.emplace_back("WEIR_CACHE", cache);
  if (job.jobserver) job.jobserver->add_to(plan.environment, context.sandboxed);
  if (job.no_libraries) clear_library_path(plan.environment);
  for (auto i = job.next_step; i < last; ++i) {
    auto step = plan_process_step(job.spec->steps[i], context);
    if (!step) return tl::unexpected(step.error());
    plan.steps.push_back(std::move(*step));
  }
  set_working_directory(plan);
  return plan;
}

void LocalExecutor::Impl::run_process(LocalJob& job, std::size_t last) {
  auto plan = make_plan(job, last);
  if (!plan) return fail_job(job, Failure::infra, to_text(plan.error()));
  job.first_of_process = job.next_step;
  JobProcess::Hooks hooks;
  hooks.output = [this, &job](std::string_view bytes) { output(job, bytes); };
  hooks.ended = [this, id = job.id, last](const ProcessEnd& end) { process_ended(id, last, end); };
  job.process = std::make_shared<JobProcess>(loop, std::move(hooks));
  if (auto status = launch(job, std::move(*plan)); !status) {
    job.process = nullptr;
    return fail_job(job, Failure::infra, to_text(status.error()));
  }
  tell_started(job, job.process->pid());
  if (!job.jobserver && (options.pin_cores || job.cores || job.spec->sharing == CoreSharing::affinity))
    pin(job);
}

Result<SandboxPlan> LocalExecutor::Impl::plan_sandbox(const LocalJob& job) {
  if (options.bwrap.empty())
    return fail(Reason::not_found, "bubblewrap (bwrap) was not found in PATH",
                "install the package bubblewrap, or set `root = \"none\"` in [sandbox] of weir.toml");
  SandboxPlan sandbox{options.bwrap,
                      options.init,
                      directory(job, "build"),
                      directory(job, "install"),
                      directory(job, "source"),
                      job.spec->uid,
                      job.spec->network,
                      4,
                      job.inputs,
                      job.spec->sandbox == SandboxRoot::staged};
  sandbox.user_namespaces = job.spec->user_namespaces;
  if (job.jobserver) sandbox.jobserver = job.jobserver->server().path();
  if (!sandbox_namespaces) sandbox_namespaces = find_sandbox_namespaces(isolation);
  return sandbox;
}

bool LocalExecutor::Impl::is_served(const SandboxPlan& sandbox) {
  if (!sandboxes_serve || *sandbox_namespaces == 0 || !can_be_served(sandbox, options.served)) return false;
  return !shapes.insert(shape_of(sandbox)).second;
}

Status LocalExecutor::Impl::launch(LocalJob& job, InitPlan plan) {
  if (options.init.empty())
    return fail(Reason::not_found, "weir-init is not beside the weir program", "install weir again");
  ProcessSetup setup;
  setup.init = options.init;
  setup.isolation = isolation;
  setup.null_device = null_device.get();
  setup.most_processes = most_processes_of_a_job();
  if (job.jobserver) setup.jobserver = &job.jobserver->server();
  std::optional<SandboxPlan> sandbox;
  job.shape.clear();
  if (job.spec->sandbox != SandboxRoot::none) {
    auto planned = plan_sandbox(job);
    if (!planned) return tl::unexpected(planned.error());
    sandbox = std::move(*planned);
    if (is_served(*sandbox)) {
      job.shape = shape_of(*sandbox);
      sandbox->serves = &options.served;
      plan.own_namespaces = true;
      plan.mounts = mounts_of(*sandbox, options.served);
    }
    plan.confined = true;
    plan.user_namespaces = sandbox->user_namespaces;
    setup.sandbox = &*sandbox;
    setup.sandbox_namespaces = *sandbox_namespaces;
  }
  if (setup.serves()) {
    auto found = idle.take(job.shape);
    setup.idle = std::move(found.process);
    setup.desk = std::move(found.desk);
    job.cgroup = std::move(found.cgroup);
  }
  if (cgroups && !job.cgroup) job.cgroup = cgroups->take();
  if (job.cgroup) {
    job.cgroup->limit_memory(job.spec->limits.memory);
    job.cgroup->limit_processes(setup.most_processes);
    job.oom_kills_before = job.cgroup->oom_kills().value_or(0);
    job.cgroup->begin_peak();
    setup.cgroup = job.cgroup->directory();
  }
  job.oom_kills_around_before = oom.kills();
  return job.process->start(plan, setup);
}

void LocalExecutor::Impl::process_ended(JobId id, std::size_t last, const ProcessEnd& end) {
  const auto job = find(id);
  if (!job) return;
  if (could_not_be_served(*job, end)) {
    sandboxes_serve = false;
    give_back(*job);
    return run_process(*job, last);
  }
  take_records(*job, end.record);
  EndOfProcess facts{end.status,    end.record,       last - job->first_of_process,
                     end.sandboxed, end.inside_ended, job->killed};
  if (job->cgroup) {
    auto& peak = job->result.usage.peak_bytes;
    peak = std::max(peak, job->cgroup->peak().value_or(0));
  }
  facts.address_space = address_space;
  facts.most_processes = most_processes_of_a_job();
  facts.output = job->log.tail();
  if (!end.record.all_good()) {  // what the machine has to do with it; looking costs as much as a small job
    if (job->cgroup) facts.oom_kills = job->cgroup->oom_kills().value_or(0) - job->oom_kills_before;
    if (const auto failed = exit_of(end.record); failed && !facts.oom_kills)
      facts.oom_kills_around = oom.explain(job->oom_kills_around_before, failed);
    for (const auto* root : {"build", "install"})
      facts.disk_full |= is_on_full_disk(directory(*job, root), facts.output);
  }
  if (!end.record.steps.empty()) {
    const auto& failed = end.record.steps.back();
    const auto& step = job->spec->steps[job->first_of_process + failed.step];
    facts.program = failed.end == init::StepEnd::no_directory ? directory_of(step) : program_of(step);
    facts.meanings = meanings_of(step);
  }
  const auto verdict = classify(facts);
  if (verdict.failure == Failure::none && !job->stopping && !job->suspended) keep_idle(*job);
  job->process = nullptr;
  give_back(*job);
  if (job->jobserver) job->jobserver->processes_gone();
  if (job->stopping) return finish(*job);
  if (verdict.failure == Failure::none) {
    job->next_step = last;
    return advance(*job);
  }
  job->result.exit = verdict.exit;
  job->result.signal = verdict.signal;
  const bool has_inputs = options.check_inputs && !job->inputs.empty();
  if (has_inputs && verdict.failure == Failure::command) return check_inputs(*job, verdict.evidence);
  fail_job(*job, verdict.failure, verdict.evidence);
}

void LocalExecutor::Impl::check_inputs(LocalJob& job, const std::string& evidence) {
  job.in_arena = true;
  arenas.enqueue(ArenaKind::store,
                 [this, weak = std::weak_ptr(alive), id = job.id, spec = job.spec, evidence] {
                   boost::asio::post(loop, [weak, id, evidence, checked = options.check_inputs(id, *spec)] {
                     if (const auto self = weak.lock()) (*self)->inputs_checked(id, evidence, checked);
                   });
                 });
}

void LocalExecutor::Impl::inputs_checked(JobId id, const std::string& evidence, const Status& checked) {
  const auto job = find(id);
  if (!job) return;
  job->in_arena = false;
  if (!checked) return fail_files(*job, checked.error());
  fail_job(*job, Failure::command, evidence);
}

void LocalExecutor::Impl::take_records(LocalJob& job, const InitRecord& record) {
  auto& usage = job.result.usage;
  usage.cpu += std::min(record.usage.cpu, Duration::max() - usage.cpu);  // forged ones must not overflow
  usage.peak_bytes = std::max(usage.peak_bytes, record.usage.peak_bytes);
  for (const auto& step : record.steps) {
    StepRecord kept;
    kept.step = static_cast<std::uint32_t>(job.first_of_process + step.step);
    kept.exit = step.end == init::StepEnd::exited      ? step.value
                : step.end == init::StepEnd::signalled ? 128 + step.value
                                                       : 127;
    kept.wall = job.time.between(step.begin, step.finish);
    kept.usage = step.usage;
    job.result.steps.push_back(kept);
  }
}

void LocalExecutor::Impl::tell_started(LocalJob& job, std::int64_t pid) {
  const bool news = !job.started || (pid > 0 && !job.process_told);
  job.started = true;
  job.process_told |= pid > 0;
  if (news) job.sink.started(job.id, pid);
}

void LocalExecutor::Impl::output(LocalJob& job, std::string_view bytes) {
  if (!job.log.append(bytes))
    job.sink.output(job.id, fmt::format("weir: the log {} cannot be written: {}\n", job.log.path(),
                                        std::strerror(errno)));
  job.sink.output(job.id, bytes);
}

void LocalExecutor::Impl::fail_job(LocalJob& job, Failure failure, std::string evidence) {
  job.result.ending = Ending::failed;
  job.result.failure = failure;
  job.result.evidence = std::move(evidence);
  finish(job);
}

// The end is told from the loop, never from inside a call of the scheduler.
void LocalExecutor::Impl::finish(LocalJob& job) {
  WEIR_ASSERT(!job.finished && !job.process && !job.in_arena, "job {} ends twice or too early",
              index(job.id));
  job.finished = true;
  job.grace.reset();
  give_back(job);
  close_jobserver(job);
  if (job.stopping) {
    job.result.ending = Ending::cancelled;
    job.result.failure = Failure::none;
  }
  job.result.wall = job.time.until(clock.now());
  boost::asio::post(loop, [weak = std::weak_ptr(alive), id = job.id] {
    const auto self = weak.lock();
    if (!self) return;
    auto& all = (*self)->jobs;
    const auto at = all.find(id);
    if (at == all.end()) return;
    auto& ended = *at->second;
    ended.sink.usage(id, ended.result.usage);
    ended.sink.ended(id, ended.result);
    all.erase(id);
  });
}

// A sandbox that serves says nothing of why it could not; one of the job's own does.
bool LocalExecutor::Impl::could_not_be_served(const LocalJob& job, const ProcessEnd& end) const {
  return !job.shape.empty() && !job.stopping && !job.killed && !end.record.begun;
}

// One that ran on some CPUs only would have the next job run there.
void LocalExecutor::Impl::keep_idle(LocalJob& job) {
  if (job.cpus.empty() && job.process->is_idle())
    idle.keep({job.process->take_init(), job.process->take_desk(), std::move(job.cgroup), job.shape});
}

void LocalExecutor::Impl::give_back(LocalJob& job) {
  if (job.cgroup) {
    job.cgroup->freeze(false);
    cgroups->give_back(std::move(job.cgroup));
  }
  cpus.give_back(std::exchange(job.cpus, {}));
}

void LocalExecutor::Impl::kill(LocalJob& job) {
  job.killed = true;
  if (!job.process) return;
  if (job.cgroup) job.cgroup->kill();
  job.process->kill();
}

void LocalExecutor::Impl::pin(LocalJob& job) {
  cpus.give_back(std::exchange(job.cpus, {}));
  job.cpus = cpus.take(job.cores ? job.cores : job.spec->limits.cores);
  set_tree_affinity(job.process->pid(), job.cpus);
}

void LocalExecutor::Impl::make_jobserver(LocalJob& job) {
  job.jobserver =
      make_job_cores(loop, *job.spec, fmt::format("{}/{}.jobserver", options.log_directory, index(job.id)),
                     [&job](std::uint32_t cores) { job.sink.cores(job.id, cores); });
}

void LocalExecutor::Impl::close_jobserver(LocalJob& job) {
  if (const auto jobserver = std::exchange(job.jobserver, nullptr)) jobserver->close();
}

LocalExecutor::LocalExecutor(boost::asio::io_context& loop, Arenas& arenas, LocalExecutorOptions options)
    : impl_(std::make_unique<Impl>(loop, arenas, std::move(options))) {}

LocalExecutor::~LocalExecutor() { join(); }

void LocalExecutor::start(JobId id, std::shared_ptr<const JobSpec> spec, JobSink& sink) {
  auto log = fmt::format("{}/{}.log", impl_->options.log_directory, index(id));
  auto job = std::make_unique<LocalJob>(id, std::move(spec), sink, std::move(log), impl_->clock.now());
  const auto [at, fresh] = impl_->jobs.emplace(id, std::move(job));
  WEIR_ASSERT(fresh, "job {} is started twice", index(id));
  impl_->make_jobserver(*at->second);
  impl_->advance(*at->second);
}

void LocalExecutor::suspend(JobId id) {
  const auto job = impl_->find(id);
  if (!job || job->suspended || job->stopping) return;
  job->suspended = true;
  job->time.suspend(impl_->clock.now());
  if (!job->process) return;
  if (job->cgroup) job->cgroup->freeze(true);
  else job->process->hold(true);
}

void LocalExecutor::resume(JobId id) {
  const auto job = impl_->find(id);
  if (!job || !job->suspended) return;
  job->suspended = false;
  job->time.resume(impl_->clock.now());
  if (job->cgroup) job->cgroup->freeze(false);
  else if (job->process) job->process->hold(false);
  if (!job->process && !job->in_arena) impl_->advance(*job);
}

void LocalExecutor::stop(JobId id, StopReason reason, Duration grace) {
  const auto job = impl_->find(id);
  if (!job || job->killed) return;
  if (!std::exchange(job->stopping, true))
    job->result.evidence = fmt::format("stopped: {}", to_string(reason));
  job->cancelled = true;
  if (!job->process && !job->in_arena) return impl_->finish(*job);
  if (grace <= Duration::zero()) return impl_->kill(*job);
  if (!job->process) return;  // in-process steps stop at the next file
  job->process->terminate();
  if (job->cgroup) job->cgroup->freeze(false);  // after the signal: weir-init wakes up to it
  if (std::exchange(job->suspended, false)) job->time.resume(impl_->clock.now());
  job->grace.emplace(impl_->loop, grace);
  job->grace->async_wait([weak = std::weak_ptr(impl_->alive), id](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    if (const auto late = (*self)->find(id)) (*self)->kill(*late);
  });
}

void LocalExecutor::set_cores(JobId id, std::uint32_t cores) {
  const auto job = impl_->find(id);
  if (!job) return;
  if (job->jobserver) return job->jobserver->set(cores);
  const auto before = job->cores ? job->cores : job->spec->limits.cores;
  job->cores = cores;
  if (job->process) impl_->pin(*job);
  if (cores < before) job->sink.cores(id, cores);
}

void LocalExecutor::join() {
  for (auto& [id, job] : impl_->jobs) {
    job->cancelled = true;
    job->grace.reset();
    if (!job->finished) impl_->kill(*job);
  }
  for (auto& [id, job] : impl_->jobs)
    if (job->process) job->process->await_end();
  impl_->arenas.drain();
  for (auto& [id, job] : impl_->jobs) {
    impl_->give_back(*job);
    impl_->close_jobserver(*job);
  }
  impl_->jobs.clear();
  impl_->idle.end_all();
}

std::string_view LocalExecutor::tail(JobId id) const {
  const auto at = impl_->jobs.find(id);
  return at == impl_->jobs.end() ? std::string_view() : at->second->log.tail();
}

Usage LocalExecutor::usage(JobId id) const {
  const auto at = impl_->jobs.find(id);
  if (at == impl_->jobs.end()) return {};
  return at->second->process ? at->second->process->live_usage() : at->second->result.usage;
}

TreeControlKind LocalExecutor::tree_control() const {
  return impl_->cgroups ? TreeControlKind::cgroup : TreeControlKind::weir_init;
}

IsolationChoice LocalExecutor::isolation() const {
  return static_cast<IsolationChoice>(static_cast<int>(impl_->isolation) + 1);
}

}  // namespace weir
