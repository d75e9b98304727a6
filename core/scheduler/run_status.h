// A look at a run while it goes on, for people who ask.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace weir {

struct RunStatus {
  struct QueueLine {
    std::string name;
    std::size_t waiting = 0, ready = 0, running = 0, done = 0, skipped = 0, failed = 0;
  };
  struct Token {
    std::string name;
    std::int64_t capacity = 0, used = 0;
  };
  struct ClassLine {
    std::string name;
    std::int64_t running = 0, waiting = 0;
  };
  struct WorkerLine {
    std::string name, state;
    std::int64_t slots = 0, running = 0;
  };
  struct Job {
    std::uint64_t number = 0;
    std::string element, queue, worker, work_class, requestor, state;
    double seconds = 0;
  };
  std::string state;  // running, suspended or closing
  double seconds = 0;
  std::vector<QueueLine> queues;
  std::vector<Token> tokens;
  std::vector<ClassLine> classes;
  std::vector<WorkerLine> workers;
  std::vector<Job> jobs;  // that run, oldest first
};

}  // namespace weir
