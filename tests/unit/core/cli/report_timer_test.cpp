// Times that are over already: what is due is called as soon as the loop runs, and nobody has to sleep.
#include "core/cli/report_timer.h"

#include <boost/asio/io_context.hpp>

namespace weir::cli {
namespace {

class Asked final : public TimedReport {
 public:
  std::optional<Time> next_call() const override { return next; }
  void call(Time now) override {
    calls.push_back(now);
    next = then;
  }
  std::optional<Time> next, then;
  std::vector<Time> calls;
};

class ReportTimerTest : public testing::Test {
 protected:
  void hear() { timer_->on_event(Event{}); }
  // All that is due now.
  std::size_t poll() {
    loop_.restart();
    return loop_.poll();
  }

  SteadyClock clock_;
  const Time past_ = clock_.now(), far_ = past_ + std::chrono::hours(1);
  Asked report_;
  boost::asio::io_context loop_;
  std::optional<ReportTimer> timer_;
};

TEST_F(ReportTimerTest, a_report_that_wants_nothing_sets_no_timer) {
  timer_.emplace(loop_, clock_, report_);
  hear();
  EXPECT_EQ(poll(), 0u);
  EXPECT_TRUE(loop_.stopped()) << "nothing is waited for";
}

TEST_F(ReportTimerTest, is_called_at_its_time_and_not_before) {
  report_.next = far_;
  timer_.emplace(loop_, clock_, report_);
  EXPECT_EQ(poll(), 0u);
  report_.next = past_;
  hear();
  poll();
  ASSERT_EQ(report_.calls.size(), 1u);
  EXPECT_GE(report_.calls[0], past_);
  poll();
  EXPECT_EQ(report_.calls.size(), 1u) << "it wanted nothing more";
}

TEST_F(ReportTimerTest, is_called_again_as_long_as_it_wants_that) {
  report_.next = report_.then = past_;
  timer_.emplace(loop_, clock_, report_);
  while (report_.calls.size() < 3 && loop_.run_one() > 0) {
  }
  EXPECT_EQ(report_.calls.size(), 3u);
}

TEST_F(ReportTimerTest, a_report_that_was_put_off_is_not_called_when_the_timer_wakes) {
  report_.next = past_;
  timer_.emplace(loop_, clock_, report_);
  report_.next = far_;
  hear();
  EXPECT_EQ(poll(), 1u) << "it wakes";
  EXPECT_TRUE(report_.calls.empty());
  report_.next = past_;
  timer_->look();
  poll();
  EXPECT_EQ(report_.calls.size(), 1u);
}

TEST_F(ReportTimerTest, one_that_is_gone_calls_nobody) {
  report_.next = past_;
  timer_.emplace(loop_, clock_, report_);
  timer_.reset();
  poll();
  EXPECT_TRUE(report_.calls.empty());
}

}  // namespace
}  // namespace weir::cli
