// The page that GitHub shows of a step: Markdown, appended to the file that the runner names. Result and
// counts, each failure with its first error and the end of its log, and the critical path.
#pragma once

#include <string>

#include "core/report/failure_text.h"
#include "core/report/run_record.h"
#include "core/report/run_totals.h"

namespace weir {

class GithubSummary final : public Observer {
 public:
  GithubSummary(std::string file, FailureStyle style) : file_(std::move(file)), style_(std::move(style)) {}

  void on_event(const Event& event) override;
  std::string text() const;

 private:
  std::string failures() const;
  std::string critical_path() const;

  std::string file_;
  FailureStyle style_;
  RunRecord record_;
  RunFailures failures_;
  RunTotals totals_;
};

}  // namespace weir
