// All that can happen to a run from outside the loop's thread: news of jobs, and orders. Each is applied by
// the one function Scheduler::apply, in the order in which it came through the door.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/model/executor.h"
#include "core/model/ids.h"
#include "core/model/placement.h"
#include "core/model/worker_order.h"

namespace weir::input {

struct JobStarted {
  JobId job;
  std::int64_t pid;
};
struct JobOutput {
  JobId job;
};
struct JobUsage {
  JobId job;
};
struct JobCores {
  JobId job;
  std::uint32_t cores;
};
struct JobEnded {
  JobId job;
  JobResult result;
};

struct CancelJob {
  JobId job;
};
// Every job that waits or runs now; the run goes on with what is left.
struct CancelAll {};
// Nothing new is started, what runs is stopped, the run ends with this exit code (130 interrupted, 143
// terminated).
struct CancelRun {
  int exit = 130;
  bool at_once = false;  // without grace: the user asked twice
};
// Nothing new enters the row, what runs may end: what on-error = "quit" does after a failure.
struct Quit {};
// Somebody at the terminal wants to stop, or to think: all jobs are suspended and the person is asked.
struct Interrupt {};
// What the person at the terminal wants, about what the last run.ask was about.
enum class Choice : std::uint8_t { go_on, quit, terminate, retry };
struct Answer {
  Choice choice;
};

struct SuspendJob {
  JobId job;
};
struct ResumeJob {
  JobId job;
};
// All jobs, and nothing is started until ResumeAll.
struct SuspendAll {};
struct ResumeAll {};

struct SetTokens {
  std::string token;
  std::int64_t capacity;
};
// What a queue answered with `wait` on the element itself may be answered otherwise now.
struct News {
  ElementId element;
};
// A build more: somebody wants these elements too.
struct Submit {
  std::string requestor;
  std::vector<ElementId> elements;
  std::vector<ElementId> planned = {};  // that are new to the run, dependencies first
};
// So many more builds are being planned (or fewer): the run does not end before it has heard of them.
struct Expect {
  int builds = 0;
};
// Something was changed on the loop's thread; look again.
struct Wake {};
struct OrderWorker {
  WorkerId worker;
  WorkerOrder order;
};

}  // namespace weir::input

namespace weir {

using LoopInput = std::variant<input::JobStarted, input::JobOutput, input::JobUsage, input::JobEnded,
                               input::CancelJob, input::CancelAll, input::CancelRun, input::Quit,
                               input::SuspendJob, input::ResumeJob, input::SuspendAll, input::ResumeAll,
                               input::SetTokens, input::News, input::Submit, input::Expect, input::Wake,
                               input::OrderWorker, input::Interrupt, input::Answer, input::JobCores>;

}  // namespace weir
