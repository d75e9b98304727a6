// Calls a report at the times that it asks for, from the run's loop. It hears the events behind the report,
// since each may change what the report wants next.
#pragma once

#include <memory>

#include "core/model/event.h"
#include "core/report/timed_report.h"

namespace boost::asio {
class io_context;
}

namespace weir::cli {

class ReportTimer final : public Observer {
 public:
  // All outlive it.
  ReportTimer(boost::asio::io_context& loop, const Clock& clock, TimedReport& report);
  ~ReportTimer() override;

  void on_event(const Event& event) override;
  // Asks the report anew: something other than an event has changed it.
  void look();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace weir::cli
