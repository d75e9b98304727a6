// The live display on standard error, with what it needs of the loop: a timer for its frames, and news of the
// window's size.
#pragma once

#include <memory>

#include "core/cli/report_timer.h"
#include "core/report/live_display.h"

namespace weir::cli {

class LiveTerminal final : public Observer {
 public:
  // Both outlive it.
  LiveTerminal(boost::asio::io_context& loop, const Clock& clock, ReportOptions options);
  ~LiveTerminal() override;

  void on_event(const Event& event) override;
  // weir is about to be stopped, or goes on.
  void stopped() { display_.stopped(); }
  void resumed();

 private:
  struct Window;
  LiveDisplay display_;
  ReportTimer timer_;
  std::shared_ptr<Window> window_;
};

}  // namespace weir::cli
