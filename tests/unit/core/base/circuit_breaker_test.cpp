#include "core/base/circuit_breaker.h"

namespace weir {
namespace {

using namespace std::chrono_literals;
using State = CircuitBreaker::State;

TEST(CircuitBreaker, opens_after_failures_in_a_row_and_not_before) {
  VirtualClock clock;
  CircuitBreaker breaker(clock, {3, 10s});
  breaker.failure();
  breaker.failure();
  breaker.success();
  breaker.failure();
  breaker.failure();
  EXPECT_EQ(breaker.state(), State::closed);
  breaker.failure();
  EXPECT_EQ(breaker.state(), State::open);
  EXPECT_FALSE(breaker.allow());
}

TEST(CircuitBreaker, half_open_lets_one_probe_through_at_a_time) {
  VirtualClock clock;
  CircuitBreaker breaker(clock, {1, 10s});
  breaker.failure();
  clock.advance(9s);
  EXPECT_FALSE(breaker.allow());
  clock.advance(1s);
  EXPECT_EQ(breaker.state(), State::half_open);
  EXPECT_TRUE(breaker.allow());
  EXPECT_FALSE(breaker.allow());
  breaker.abandon();
  EXPECT_TRUE(breaker.allow());
  breaker.failure();
  EXPECT_EQ(breaker.state(), State::open);
  clock.advance(10s);
  EXPECT_TRUE(breaker.allow());
  breaker.success();
  EXPECT_EQ(breaker.state(), State::closed);
}

TEST(CircuitBreaker, late_news_from_before_it_opened_changes_nothing) {
  VirtualClock clock;
  CircuitBreaker breaker(clock, {1, 10s});
  breaker.failure();
  clock.advance(5s);
  breaker.failure();  // must not lengthen the cooldown
  breaker.success();
  EXPECT_EQ(breaker.state(), State::open);
  clock.advance(5s);
  EXPECT_EQ(breaker.state(), State::half_open);
}

}  // namespace
}  // namespace weir
