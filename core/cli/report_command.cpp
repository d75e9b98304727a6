// weir report: a run as one HTML page, or as a trace for Perfetto. Of a run that is under way, or whose weir
// was killed, it tells what there is.
#include <fmt/format.h>

#include <memory>

#include "core/base/print.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/output_file.h"
#include "core/cli/project_runs.h"
#include "core/cli/run_history.h"
#include "core/cli/tell.h"
#include "core/report/html_report.h"
#include "core/report/trace.h"

namespace weir::cli {

namespace {

struct PageOptions {
  std::uint64_t run = 0;
  std::string output;  // empty: named after the run
  bool trace = false;
};

struct ReadRun {
  RunRecord record;
  RunFailures failures;
  RunTotals totals;
  RunStand stand = RunStand::over;
};

ReadRun read_whole(const PastRun& run) {
  ReadRun read;
  read.record = RunRecord::read(run.events(), {&read.failures, &read.totals});
  read.stand = stand_of(run, read.record);
  return read;
}

Status write(const std::string& file, const std::string& text, const Globals& globals) {
  if (auto written = write_output(file, text); !written) return written;
  if (file != "-" && !globals.quiet) weir::print("{}\n", file);
  return {};
}

std::string text_of(const ReadRun& read, const PastRun& run, const PageOptions& options) {
  if (options.trace) return trace_json(read.record, read.stand);
  HtmlOptions html;
  html.log_directory = run.logs();
  html.stand = read.stand;
  return html_report(read.record, read.failures, read.totals, html);
}

int report(const PageOptions& options, const Globals& globals) {
  const auto opened = open_runs(globals);
  if (!opened) return opened.error();
  const auto run = find_run(opened->runs, options.run);
  if (!run) return tell(run.error());
  const auto read = read_whole(*run);
  if (read.stand == RunStand::running)
    weir::print(stderr, "run {} is still under way: this is what there is of it so far\n", run->number);
  if (read.stand == RunStand::killed)
    weir::print(stderr, "run {} has no end, its weir was killed: this is what there is of it\n", run->number);
  const auto usual =
      fmt::format(fmt::runtime(options.trace ? "weir-trace-{}.json" : "weir-report-{}.html"), run->number);
  const auto written =
      write(options.output.empty() ? usual : options.output, text_of(read, *run, options), globals);
  return written ? kDone : tell(written.error());
}

}  // namespace

Run add_report_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<PageOptions>();
  command.add_option("--run", &options->run, "N", "of this run; else of the newest")
      .in_range(1, 1'000'000'000);
  command.add_option("-o,--output", &options->output, "FILE", "write to this file; - is standard output");
  command.add_flag("--trace", &options->trace, "a trace for Perfetto or chrome://tracing instead of a page");
  command.explain(
      "One HTML file that needs no network: timeline, failures with their logs, critical path, how "
      "elements stood in each queue.",
      "weir report\nweir report --run 12 -o run.html\nweir report --trace -o run.json");
  return [options, &globals] { return report(*options, globals); };
}

}  // namespace weir::cli
