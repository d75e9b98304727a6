// A run as one HTML file that needs nothing else: the page (core/report/page) with the run as JSON in it. The
// page's script makes text of the data and never markup; its policy lets nothing run or load that is not its
// own.
#pragma once

#include <cstddef>
#include <string>

#include "core/report/run_failures.h"
#include "core/report/run_record.h"
#include "core/report/run_totals.h"

namespace weir {

struct HtmlOptions {
  std::string log_directory;  // "<job>.log" in it
  RunStand stand = RunStand::over;
  std::size_t log_bytes = 64 * 1024;  // of the end of each log, of jobs that did not succeed
  std::size_t all_logs_bytes = 2 * 1024 * 1024;
};

std::string html_report(const RunRecord& record, const RunFailures& failures, const RunTotals& totals,
                        const HtmlOptions& options);

// The same as JSON alone; html_data.cpp says what is in it.
std::string report_data(const RunRecord& record, const RunFailures& failures, const RunTotals& totals,
                        const HtmlOptions& options);

// JSON that can stand in a <script>: nothing in it looks like markup, and no line ends where a script would
// end one.
std::string for_script(const std::string& json);

}  // namespace weir
