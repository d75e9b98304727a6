// A run as a trace of the Chrome trace event format, for Perfetto (ui.perfetto.dev) and chrome://tracing: a
// process for each worker with its jobs on as many tracks as ran at once and their steps below them, counters
// of the tokens in use, and the critical path on a track of its own.
#pragma once

#include <string>

#include "core/report/run_record.h"

namespace weir {

std::string trace_json(const RunRecord& record, RunStand stand);

}  // namespace weir
