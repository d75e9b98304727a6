// How a run ended, as one JSON document for scripts (`--json`): result, counts, what failed, and what was not
// started and why.
#pragma once

#include <optional>
#include <string>

#include "core/report/run_failures.h"
#include "core/report/run_totals.h"

namespace weir {

class JsonSummary final : public Observer {
 public:
  explicit JsonSummary(std::string log_directory) : log_directory_(std::move(log_directory)) {}

  void on_event(const Event& event) override;
  // What weir exits with: something may have failed after the run's end.
  void exits(int code) { exit_ = code; }
  // In one line, without its newline. After the run's end.
  std::string text() const;

 private:
  std::string log_directory_;
  std::uint64_t run_ = 0;
  std::string project_;
  RunFailures failures_;
  RunTotals totals_;
  std::optional<int> exit_;
};

}  // namespace weir
