// A failure in words, for a terminal and for logs alike: what kind it is and what helps, the command, the
// first error, the end of the log, what had changed, and what to type next.
#pragma once

#include <string>

#include "core/report/run_failures.h"
#include "core/report/styled_line.h"

namespace weir {

struct FailureStyle {
  std::string log_directory;    // "<job>.log" in it
  std::string weir = "weir";    // how to call it: "weir -C dir"
  std::size_t tail_lines = 20;  // of the log; 0: none
  bool next_commands = true;    // what to type next; nobody types where a log is all there is
};

std::string log_path(const FailedElement& failure, const FailureStyle& style);  // of one with a job

// "build app failed: a command failed with exit code 2, after 3.1s"
std::string failure_headline(const FailedElement& failure);
// What to do about it, by the class of the failure.
std::string failure_cure(const FailedElement& failure);
StyledLines failure_block(const FailedElement& failure, const FailureStyle& style);

}  // namespace weir
