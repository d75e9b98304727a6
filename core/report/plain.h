// A run as plain lines for people: what started, what ended and how, what failed and why, and a summary.
// Everything it knows comes from events; logs are read from the files of the run.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "core/model/event.h"
#include "core/report/failure_text.h"
#include "core/report/run_failures.h"
#include "core/report/run_totals.h"

namespace weir {

enum class Volume : std::uint8_t { quiet, normal, verbose };

struct ReportOptions {
  Volume volume = Volume::normal;
  bool color = false;
  FailureStyle failures;
};

// The lines that an event of a job or an element is worth at this volume; failures and the end are told
// elsewhere.
StyledLines progress_lines(const Event& event, Volume volume);

class PlainReport final : public Observer {
 public:
  PlainReport(std::FILE* out, ReportOptions options) : out_(out), options_(std::move(options)) {}

  void on_event(const Event& event) override;

 private:
  void write(const StyledLines& lines);

  std::FILE* out_;
  ReportOptions options_;
  RunFailures failures_;
  RunTotals totals_;
};

}  // namespace weir
