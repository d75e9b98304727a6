// The jobs of a run, read from its events. Fields and events that are not known are passed over; so is a last line that
// a killed weir left half written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weir::cli {

struct PastJob {
  std::uint64_t id = 0;
  std::string element;
  std::string queue;
  std::string result;   // empty: it has not ended, or weir ended before it
  std::string failure;  // empty unless failed
  std::optional<std::int64_t> exit;
  double seconds = 0;
  bool tried_again = false;  // a later job does the same work

  bool failed() const { return result == "failed" && !tried_again; }
};

// In the order in which they started. A file that is not there has none.
std::vector<PastJob> read_jobs(const std::string& events_file);

}  // namespace weir::cli
