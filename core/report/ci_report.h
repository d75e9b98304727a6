// A run for the log of a CI system: lines with the time of day, a heartbeat when nothing happens, each
// failure at once with the end of its log, and at the end the whole logs of all that failed and a summary.
// Never a control character, but what the CI system itself wants (core/report/ci_host.h).
#pragma once

#include <map>
#include <memory>

#include "core/report/ci_log.h"
#include "core/report/plain.h"
#include "core/report/run_picture.h"
#include "core/report/timed_report.h"

namespace weir {

struct CiOptions {
  ReportOptions report;
  WallTime start;  // of the run
  Duration heartbeat = std::chrono::seconds(30);
  std::uint64_t longest_log = 10 * 1024 * 1024;  // of a longer one its two ends
};

class CiReport final : public Observer, public TimedReport {
 public:
  CiReport(std::FILE* out, CiOptions options, std::unique_ptr<CiHost> host, const Clock& clock);

  void on_event(const Event& event) override;
  std::optional<Time> next_call() const override;
  void call(Time now) override;

 private:
  void set_time(Duration since_start);
  void progress(const Event& event);
  std::string count(std::string_view queue);
  void begin(const event::RunStart& start);
  void failed(const FailedElement& failure);
  void end(const event::RunEnd& end);
  void whole_log(const FailedElement& failure);
  void quote(const std::string& path, std::uint64_t from, std::uint64_t to);
  void flush();
  std::string beat_text(Duration now) const;

  CiOptions options_;
  std::unique_ptr<CiHost> host_;
  CiLog log_;
  const Clock& clock_;
  RunPicture picture_;
  RunFailures failures_;
  RunTotals totals_;
  std::map<std::string, std::uint64_t, std::less<>> passed_;  // elements, by queue
  Time start_{};                                              // of the run
  Duration now_{};                                            // since then
  Duration written_{};                                        // last
  bool running_ = false;
};

}  // namespace weir
