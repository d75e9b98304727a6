#include "core/remote/transfer_executor.h"

#include <fmt/format.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "core/remote/action_result.h"
#include "core/remote/pull.h"

namespace weir {

namespace {

JobResult failed(Failure failure, std::string evidence) {
  JobResult result;
  result.ending = Ending::failed;
  result.failure = failure;
  result.evidence = std::move(evidence);
  return result;
}

// Nothing came of it, and nobody minds.
JobResult skipped(Failure failure, std::string evidence) {
  auto result = failed(failure, std::move(evidence));
  result.ending = Ending::skipped;
  return result;
}

JobResult cancelled() {
  JobResult result;
  result.ending = Ending::cancelled;
  return result;
}

std::string told(const std::string& remote, const std::string& reason) {
  return reason.empty() ? remote : fmt::format("{}: {}", remote, reason);
}

// A refusal (401, 403) is an answer: no network is at fault, and another attempt ends the same way.
Failure failure_of_push(const RemoteLine& line) {
  return line.has_refused() ? Failure::infra : Failure::network;
}

JobResult result_of(const Pulled& pulled) {
  switch (pulled.what) {
    case Pulled::What::pulled: break;
    case Pulled::What::missing:
      return skipped(Failure::source,
                     pulled.reason.empty() ? "no remote has it" : told(pulled.remote, pulled.reason));
    case Pulled::What::trouble: return skipped(Failure::network, told(pulled.remote, pulled.reason));
    case Pulled::What::cancelled: return cancelled();
  }
  JobResult result;
  result.outputs = {pulled.record.output.text(), pulled.record.recipe.text(), pulled.record.log.text(),
                    facts_of(pulled.record)};
  return result;
}

// What a build has made a moment ago may be on its way to the disk.
Result<std::optional<store::Artifact>> look_up(store::Store& store, const store::Key& key) {
  auto found = store.lookup(key);
  if (!found || *found) return found;
  store.flush();
  return store.lookup(key);
}

}  // namespace

// One job on its thread.
struct TransferExecutor::Transfer {
  Transfer(const TransferParts& own_parts, JobId own_job, std::shared_ptr<const JobSpec> own_spec,
           JobSink& own_sink)
      : parts(own_parts), job(own_job), spec(std::move(own_spec)), sink(own_sink) {
    if (std::holds_alternative<PullStep>(spec->steps.front())) lines = parts.pull_from();
    else targets = parts.push_to();
    thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void run(const std::stop_token& stop) {
    const auto begin = parts.clock.now();
    sink.started(job, 0);
    const TransferControl control{stop, gate};
    const auto* pull = std::get_if<PullStep>(&spec->steps.front());
    auto result =
        pull ? run_pull(*pull, control) : run_push(std::get<PushStep>(spec->steps.front()), control);
    result.wall = parts.clock.now() - begin;
    if (stop.stop_requested() && result.ending != Ending::succeeded) result = cancelled();
    ended = true;
    if (!silent) sink.ended(job, std::move(result));
  }

  JobResult run_pull(const PullStep& step, const TransferControl& control) {
    const auto pulled = pull_artifact(parts.store, lines, step.recipe, control);
    report(pulled.remote, false, pulled.moved);
    if (pulled.what == Pulled::What::pulled) keep_log(pulled.record.log);
    return result_of(pulled);
  }

  // For people who ask what was written: if it cannot be kept here, it is still in the store.
  void keep_log(const store::Digest& log) const {
    constexpr std::uint64_t kLongest = 64 << 20;
    if (parts.log_directory.empty() || log.size == 0 || log.size > kLongest) return;
    if (const auto text = parts.store.read_blob(log))
      std::ofstream(fmt::format("{}/{}.log", parts.log_directory, index(job)), std::ios::binary) << *text;
  }

  JobResult run_push(const PushStep& step, const TransferControl& control) {
    const auto found = look_up(parts.store, store::Key::of(step.recipe));
    if (!found) return failed(Failure::infra, found.error().message);
    if (!*found) return failed(Failure::infra, "the artifact is not in the store any more");
    bool any = false, trouble = false;
    for (const auto& target : targets) {
      const auto pushed = push_artifact(parts.store, *target.line, step.recipe, (*found)->record, control);
      report(target.line->shown(), true, pushed.moved);
      if (pushed.what == Pushed::What::cancelled) return cancelled();
      if (pushed.what == Pushed::What::trouble && target.required)
        return failed(failure_of_push(*target.line), told(target.line->shown(), pushed.reason));
      any |= pushed.what == Pushed::What::pushed;
      trouble |= pushed.what == Pushed::What::trouble;
    }
    JobResult result;
    if (!any) result.ending = Ending::skipped;
    result.outputs = {std::string(any ? push_end::kPushed : trouble ? push_end::kTrouble : push_end::kHadIt)};
    return result;
  }

  void report(const std::string& remote, bool push, const Moved& moved) const {
    if (parts.report && moved.blobs > 0) parts.report({job, remote, push, moved});
  }

  const TransferParts& parts;
  JobId job;
  std::shared_ptr<const JobSpec> spec;
  JobSink& sink;
  Gate gate;
  std::vector<RemoteLine*> lines;
  std::vector<PushTarget> targets;
  std::atomic<bool> ended = false;
  std::atomic<bool> silent = false;  // nobody is to hear of it any more
  std::jthread thread;               // dies first
};

TransferExecutor::TransferExecutor(Executor& below, TransferParts parts)
    : below_(below), parts_(std::move(parts)) {}

TransferExecutor::~TransferExecutor() { end_all(); }

TransferExecutor::Transfer* TransferExecutor::find(JobId job) {
  const auto at = transfers_.find(index(job));
  return at == transfers_.end() ? nullptr : at->second.get();
}

void TransferExecutor::forget_ended() {
  std::erase_if(transfers_, [](const auto& one) { return one.second->ended.load(); });
}

void TransferExecutor::start(JobId job, std::shared_ptr<const JobSpec> spec, JobSink& sink) {
  const bool own = spec->steps.size() == 1 && (std::holds_alternative<PullStep>(spec->steps.front()) ||
                                               std::holds_alternative<PushStep>(spec->steps.front()));
  if (!own) return below_.start(job, std::move(spec), sink);
  forget_ended();
  transfers_.emplace(index(job), std::make_unique<Transfer>(parts_, job, std::move(spec), sink));
}

void TransferExecutor::suspend(JobId job) {
  if (auto* own = find(job)) own->gate.close();
  else below_.suspend(job);
}

void TransferExecutor::resume(JobId job) {
  if (auto* own = find(job)) own->gate.open();
  else below_.resume(job);
}

void TransferExecutor::stop(JobId job, StopReason reason, Duration grace) {
  if (auto* own = find(job)) own->thread.request_stop();
  else below_.stop(job, reason, grace);
}

void TransferExecutor::end_all() {
  for (auto& [job, transfer] : transfers_) {
    transfer->silent = true;
    transfer->thread.request_stop();
  }
  transfers_.clear();
}

void TransferExecutor::join() {
  end_all();
  below_.join();
}

}  // namespace weir
