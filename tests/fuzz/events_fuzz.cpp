// A file of events as any weir, a full disk or somebody else left it, read by all who read runs afterwards:
// record, totals, failures, picture, trace and page. The first part is the file; "=== follow" and then more
// is what was appended while it was read.
#include "core/base/json_value.h"
#include "core/report/event_file.h"
#include "core/report/failure_text.h"
#include "core/report/html_report.h"
#include "core/report/run_failures.h"
#include "core/report/run_picture.h"
#include "core/report/run_record.h"
#include "core/report/run_totals.h"
#include "core/report/trace.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/text_parts.h"

namespace weir {

namespace {

std::string line_of(const Event& event) {
  std::string line;
  append_json(line, event, {});
  return line;
}

// An event that was read is written, read again and written again.
void check_event_lines(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    EventReader reader, again;
    if (const auto event = reader.read(text.substr(0, end))) {
      const auto line = line_of(*event);
      const auto same = again.read(line);
      WEIR_ASSERT(same && line_of(*same) == line, "an event changed by writing it: {}", line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

WEIR_FUZZ_TARGET(events) {
  const auto parts = test::parts_of(input);
  check_event_lines(parts.front().text);
  const auto path = fuzz::folder() + "/events.jsonl";
  fuzz::write_file(path, parts.front().text);
  RunRecord record;
  RunTotals totals;
  RunFailures failures;
  RunPicture picture;
  EventFile events(path, parts.size() > 2 ? std::vector<std::string_view>{"job.end", "run.end"}
                                          : std::vector<std::string_view>{});
  if (parts.size() > 3) events.skip_to_last(200);
  record.take(events, {&totals, &failures, &picture});
  if (parts.size() > 1) {
    fuzz::write_file(path, parts.front().text + parts[1].text);
    record.take(events, {&totals, &failures, &picture});
  }
  (void)picture.estimate(record.last());
  (void)picture.critical(record.last());
  (void)totals.efficiency();
  (void)summary_lines(totals, failures);
  for (const auto& failure : failures.all()) (void)failure_block(failure, {fuzz::folder()});
  for (const auto stand : {RunStand::over, RunStand::killed})
    WEIR_ASSERT(parse_json(trace_json(record, stand)).has_value(), "the trace is no JSON");
  HtmlOptions html;
  html.log_directory = fuzz::folder();
  WEIR_ASSERT(parse_json(report_data(record, failures, totals, html)).has_value(), "the report is no JSON");
}

}  // namespace weir
