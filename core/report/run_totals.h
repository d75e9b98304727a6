// What a run did as a whole, from its events: how long, how busy, how large, and what became of its elements.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/model/event.h"
#include "core/report/run_failures.h"
#include "core/report/styled_line.h"

namespace weir {

class RunTotals final : public Observer {
 public:
  void on_event(const Event& event) override;

  // How much of the cores that it was given all jobs together used, from 0 to 1; 0 if nothing ran.
  double efficiency() const;
  double core_seconds() const { return core_seconds_; }
  std::int64_t cores() const { return cores_; }
  std::uint64_t peak_bytes() const { return peak_bytes_; }  // of the largest job
  const std::string& largest() const { return largest_; }   // its element
  // The counts of the run and of queues of plugins: "3 built, 1 cached"; never empty.
  std::string counts() const;
  const std::vector<std::pair<std::uint64_t, std::string>>& all_counts() const {
    return counts_;
  }  // those of 0 too; at the end
  std::string result() const { return result_; }
  int exit() const { return static_cast<int>(exit_); }
  double seconds() const { return seconds_; }
  double critical_path() const { return critical_path_; }

 private:
  void ended(const event::JobEnd& end, Duration now);
  void run_ended(const event::RunEnd& end);

  // Cores of a job that runs: those of its request, and those that it got since.
  struct Held {
    std::int64_t least = 0, more = 0;
    Duration since{};  // `more` are these
  };
  void hold(Held& held, std::int64_t cores, Duration now);
  std::map<std::uint64_t, Held> holds_;
  std::map<std::string, std::uint64_t>
      done_elsewhere_;  // jobs that succeeded, by the name of a queue of a plugin
  std::vector<std::pair<std::uint64_t, std::string>> counts_;
  std::int64_t cores_ = 0, exit_ = 0;
  std::uint64_t peak_bytes_ = 0;
  double core_seconds_ = 0, seconds_ = 0, critical_path_ = 0;
  std::string largest_, result_;
};

// The last lines of a run: result and counts; what it took; each failure once, and what was not started
// because of what.
StyledLines summary_lines(const RunTotals& totals, const RunFailures& failures);

}  // namespace weir
