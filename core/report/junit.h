// A run as JUnit XML: a suite for each queue, a case for each element that it had to do with. docs/ci.md says
// what becomes what; tests/schema/junit.xsd is the format.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/report/ci_host.h"
#include "core/report/failure_text.h"
#include "core/report/run_failures.h"
#include "core/report/run_record.h"

namespace weir {

struct JunitOptions {
  FailureStyle failures;
  WallTime start;  // of the run
};

class JunitReport final : public Observer {
 public:
  explicit JunitReport(JunitOptions options) : options_(std::move(options)) {}

  void on_event(const Event& event) override;
  // What weir exits with: something may have failed after the run's end.
  void exits(int code) { exit_ = code; }
  // In pieces, as logs may be long. Once the run is over, or of what there is so far.
  void write(const std::function<void(std::string_view)>& out) const;
  // The file as a whole, or an error and the one that was there.
  Status write_file(const std::string& path) const;

 private:
  JunitOptions options_;
  RunRecord record_;
  RunFailures failures_;
  std::string errors_;  // that the run told of, a line each
  int exit_ = 0;
};

// Whether such a file can be made: told before a run that takes hours.
Status check_junit_file(const std::string& path);

}  // namespace weir
