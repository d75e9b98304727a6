#include "core/exec/classify.h"

#include <errno.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/text.h"
#include "core/exec/oom_watch.h"
#include "core/exec/process_limit.h"

namespace weir {
namespace {

constexpr std::string_view kForeignKill = "killed by SIGKILL that weir did not send";

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

// A forged record has errors without a name.
std::string error_text(int error) {
  const char* text = ::strerrordesc_np(error);
  return text ? std::string(text) : fmt::format("error {}", error);
}

// This machine's fault, not the command's.
bool lacks_resources(int error) {
  return error == ENOMEM || error == EAGAIN || error == EMFILE || error == ENFILE;
}

std::string full_disk(std::string_view what) {
  return fmt::format("{}, and the disk is full: {}; make room on it, for example with `weir cache gc`", what,
                     ::strerrordesc_np(ENOSPC));
}

std::string_view last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const auto begin = text.rfind('\n');
  return begin == text.npos ? text : text.substr(begin + 1);
}

// As shells, make and others say it; the limit may have been reached a while before the end.
bool says_it_cannot_fork(std::string_view output) {
  constexpr std::size_t kTail = 4096;
  if (output.size() > kTail) output.remove_prefix(output.size() - kTail);
  constexpr std::string_view kWords[] = {"Cannot fork", "fork: Resource temporarily unavailable",
                                         "fork: retry: Resource temporarily unavailable",
                                         "vfork: Resource temporarily unavailable"};
  for (const auto word : kWords)
    if (output.find(word) != output.npos) return true;
  return false;
}

// The machine, a container and the user have limits too; those are not the command's fault.
bool was_near_its_limit(const EndOfProcess& end) {
  return is_near_process_limit(end.record.processes, end.most_processes);
}

Verdict too_many_processes(int exit, const std::string& what, const EndOfProcess& end) {
  return {
      Failure::command, exit, 0,
      fmt::format("{}, and it could not start another process: a job may have {} processes and threads at "
                  "once (docs/sandbox.md)",
                  what, end.most_processes)};
}

Verdict judge_exit(int exit, const EndOfProcess& end) {
  for (const auto& meaning : end.meanings)
    if (meaning.exit == exit) return {meaning.failure, exit, 0, std::string(last_line(end.output))};
  if (was_near_its_limit(end) && (end.record.at_process_limit || says_it_cannot_fork(end.output)))
    return too_many_processes(exit, fmt::format("exit code {}", exit), end);
  return {Failure::command, exit, 0, fmt::format("exit code {}", exit)};
}

Verdict judge_step(const InitStepRecord& step, const EndOfProcess& end) {
  using init::StepEnd;
  const auto because = [&](std::string_view what) {
    return fmt::format("{} '{}': {}", what, end.program, error_text(step.value));
  };
  switch (step.end) {
    case StepEnd::exited:
      if (step.value == 0) return {};
      if (end.oom_kills)
        return {Failure::oom, step.value, 0,
                fmt::format("the kernel killed {} for want of memory", end.oom_kills)};
      if (end.oom_kills_around)
        return {Failure::oom, step.value, 0,
                fmt::format("exit code {}, and while it ran the kernel killed {} here for want of memory",
                            step.value, end.oom_kills_around)};
      if (const auto said = complaint_about_memory(end.output); end.address_space && !said.empty())
        return {Failure::oom, step.value, 0,
                fmt::format("exit code {}, and it said \"{}\" with a limit of {} for its address space",
                            step.value, said, format_bytes(*end.address_space))};
      if (end.disk_full)
        return {Failure::infra, step.value, 0, full_disk(fmt::format("exit code {}", step.value))};
      return judge_exit(step.value, end);
    case StepEnd::signalled:
      if (step.value == SIGKILL && !end.killed_by_us)
        return {Failure::oom, 128 + SIGKILL, SIGKILL, std::string(kForeignKill)};
      // A write to a mapped file that finds no room is SIGBUS.
      if (end.disk_full && step.value == SIGBUS)
        return {Failure::infra, 128 + SIGBUS, SIGBUS, full_disk("killed by SIGBUS")};
      return {Failure::command, 128 + step.value, step.value,
              fmt::format("killed by {}", signal_name(step.value))};
    case StepEnd::no_fork:
      if (was_near_its_limit(end) && end.record.at_process_limit)
        return too_many_processes(126, because("cannot start a process for"), end);
      return {Failure::infra, 126, 0, because("cannot start a process for")};
    case StepEnd::no_directory: return {Failure::command, 127, 0, because("cannot enter the directory")};
    case StepEnd::no_exec: break;
  }
  const auto failure = lacks_resources(step.value) ? Failure::infra : Failure::command;
  return {failure, step.value == ENOENT ? 127 : 126, 0, because("cannot run")};
}

// The record has no end: weir-init was killed or never ran.
Verdict judge_missing_record(const EndOfProcess& end) {
  const bool killed = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
  const bool inside_killed =
      end.sandboxed && end.inside_ended && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 137;
  if (killed || inside_killed) {
    if (end.killed_by_us) return {Failure::lost, 137, SIGKILL, "killed by weir"};
    return {Failure::oom, 137, SIGKILL, fmt::format("weir-init was {}", kForeignKill)};
  }
  if (end.sandboxed && !end.inside_ended)
    return {
        Failure::infra, 0, 0,
        fmt::format(
            "the sandbox could not be set up: {} (see `bwrap --version` and whether this machine allows user "
            "namespaces; to build without a sandbox, set `root = \"none\"` in [sandbox] of weir.toml)",
            end.output.empty() ? "bubblewrap says nothing" : last_line(end.output))};
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == init::kExitNoFilter)
    return {Failure::infra, 0, 0,
            "the sandbox could not be set up: the kernel refuses filters of system calls (seccomp); to build "
            "without a sandbox, set `root = \"none\"` in [sandbox] of weir.toml"};
  return {Failure::infra, 0, 0,
          fmt::format("weir-init ended without a record (wait status {:#x}); is it the one of this weir?",
                      end.status)};
}

}  // namespace

Verdict classify(const EndOfProcess& end) {
  const auto& steps = end.record.steps;
  if (!steps.empty())
    if (auto verdict = judge_step(steps.back(), end); verdict.failure != Failure::none) return verdict;
  if (!end.record.complete) return judge_missing_record(end);
  if (steps.size() < end.planned_steps)
    return {Failure::lost, 0, 0, "somebody else told weir-init to terminate"};
  return {};
}

}  // namespace weir
