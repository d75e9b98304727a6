// What the elements of a run are in JUnit's terms.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/report/run_failures.h"
#include "core/report/run_record.h"

namespace weir {

enum class JunitResult : std::uint8_t { passed, failure, error, skipped };

struct JunitCase {
  const std::string* element = nullptr;
  JunitResult result = JunitResult::passed;
  bool cached = false;                    // passed, and nothing had to be done
  std::string reason;                     // of what was skipped or is cached
  const FailedElement* failed = nullptr;  // of failures and errors
  std::vector<const RecordedJob*> jobs;   // in order

  double seconds() const;                                   // of all of them
  std::vector<const RecordedJob*> failed_attempts() const;  // that were tried again
};

struct JunitSuite {
  std::string queue;
  std::vector<JunitCase> cases;

  std::size_t count(JunitResult result) const;
  double seconds() const;
};

// In the order of the row. What they point to belongs to the arguments.
std::vector<JunitSuite> junit_suites(const RunRecord& record, const RunFailures& failures);

}  // namespace weir
