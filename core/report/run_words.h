// Words and times for what a run record holds, shared by those who tell of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/run_record.h"

namespace weir {

std::string_view to_string(RunStand stand);  // "over", "running", "killed"

// Of a job that has not ended: "running", or "lost" with the weir that ran it.
std::string_view result_word(const RecordedJob& job, RunStand stand);

// A command as people wrote it: the script of `sh -e -c SCRIPT`, else its words; "weir" for what weir does
// itself. A program that a plugin wrote, `sh -c PROGRAM NAME ARGUMENT..`, is shown by its name and arguments.
std::string command_words(const std::vector<std::string>& argv);

// From when to when each step ran. Events say how long; the steps of a job end with it, one behind the other.
std::vector<std::pair<Duration, Duration>> step_spans(const RecordedJob& job);

}  // namespace weir
