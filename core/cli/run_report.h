// How a run is told to the one who started it: a live display, lines for people, or the log of a CI system.
#pragma once

#include <memory>
#include <vector>

#include "core/cli/live_terminal.h"
#include "core/cli/opened_project.h"
#include "core/cli/run_folder.h"
#include "core/cli/session.h"
#include "core/model/event.h"
#include "core/report/plain.h"
#include "core/report/timed_report.h"

namespace weir::cli {

struct RunReportParts {
  const RunRequest& request;
  const RunFolder& folder;
  const OpenedProject& opened;
  const Clock& clock;
  boost::asio::io_context& loop;  // outlives what is made
};

struct RunReport {
  std::vector<std::unique_ptr<Observer>> observers;  // in the order in which they hear
  TimedReport* timed = nullptr;     // one of them, that wants to be called when nothing happens too
  LiveTerminal* display = nullptr;  // one of them
};

// --ci, or CI in the environment, with any value but "", "0" and "false".
bool ci_wanted(const RunRequest& request);

ReportOptions report_options(const RunReportParts& parts);
RunReport make_run_report(const RunReportParts& parts);

}  // namespace weir::cli
