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
  std::string key;      // the recipe key; empty where there is none
  std::string result;   // empty: it has not ended, or weir ended before it
  std::string failure;  // empty unless failed
  std::optional<std::int64_t> exit;
  double seconds = 0;
  bool tried_again = false;  // a later job does the same work

  bool failed() const { return result == "failed" && !tried_again; }
};

// What a run was and how it ended.
struct RunLine {
  std::string start;   // as in its first event
  std::string result;  // empty: it has not ended, or weir was killed
  std::int64_t exit = 0;
  double seconds = 0;
  std::uint64_t built = 0, cached = 0, pulled = 0, pushed = 0, failed = 0;
  std::vector<std::string> arguments;
};
RunLine read_run(const std::string& events_file);

// In the order in which they started. A file that is not there has none.
std::vector<PastJob> read_jobs(const std::string& events_file);

}  // namespace weir::cli
