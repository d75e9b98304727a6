// Who hears the events of a run: the record that is always kept, a file that was asked for, the terminal or
// the log of a CI system, hooks, reports of its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/cli/report_timer.h"
#include "core/cli/run_report.h"
#include "core/report/json_lines.h"
#include "core/report/json_summary.h"
#include "core/report/junit.h"
#include "core/scheduler/emitter.h"
#include "core/scheduler/hook_runner.h"

namespace boost::asio {
class io_context;
}

namespace weir::cli {

class RunObservers {
 public:
  explicit RunObservers(const RunReportParts& parts);

  // Opens the files and joins them all to the events.
  Status join(const RunRequest& request, const RunFolder& folder, Emitter& events);
  // The live display, if there is one.
  LiveTerminal* display() { return report_.display; }
  // After the run: writes what is only known then, and reports what could not be written. Returns the exit
  // code. The documents of a run that is repeated (--json, --junit) are left to the repetition.
  enum class Documents : std::uint8_t { print, omit };
  int finish(const RunRequest& request, int exit, Documents documents = Documents::print);

 private:
  boost::asio::io_context& loop_;
  std::optional<JsonLines> kept_, asked_;
  RunReport report_;
  std::optional<ReportTimer> timer_;
  std::optional<JunitReport> junit_;
  std::optional<JsonSummary> json_;
  HookRunner hooks_;
};

}  // namespace weir::cli
