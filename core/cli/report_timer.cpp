#include "core/cli/report_timer.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace weir::cli {

// Shared, because the end of a wait may still be in the loop when the timer is gone.
struct ReportTimer::Impl : std::enable_shared_from_this<Impl> {
  Impl(boost::asio::io_context& loop, const Clock& c, TimedReport& r) : clock(c), report(&r), timer(loop) {}

  // A time that moved back is not set anew: the timer wakes early, sees that and sets it then. A report that
  // is put off by every event would cost a system call for each otherwise.
  void look() {
    const auto wanted = report->next_call();
    if (wanted && (!armed || *wanted < *armed)) arm(*wanted);
  }
  void arm(Time time) {
    armed = time;
    timer.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(time));
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && self->report) self->wake();
    });
  }
  void wake() {
    armed.reset();
    const auto now = clock.now();
    if (const auto wanted = report->next_call(); wanted && *wanted <= now) report->call(now);
    look();
  }

  const Clock& clock;
  TimedReport* report;
  boost::asio::steady_timer timer;
  std::optional<Time> armed;
};

ReportTimer::ReportTimer(boost::asio::io_context& loop, const Clock& clock, TimedReport& report)
    : impl_(std::make_shared<Impl>(loop, clock, report)) {
  look();
}

ReportTimer::~ReportTimer() {
  impl_->report = nullptr;
  impl_->timer.cancel();
}

void ReportTimer::on_event(const Event&) { look(); }

void ReportTimer::look() { impl_->look(); }

}  // namespace weir::cli
