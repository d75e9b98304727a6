#include "core/remote/patience.h"

namespace weir {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Time at(int ms) { return Time{} + milliseconds(ms); }

TEST(Patience, silence_beyond_the_grace_uses_it_up) {
  Patience patience{Patience::Limits{}};
  patience.began(at(0));
  for (int ms = 0; ms < 2750; ms += 100) EXPECT_FALSE(patience.is_over(at(ms))) << ms;
  EXPECT_TRUE(patience.is_over(at(2750)));
}

TEST(Patience, answers_within_the_grace_cost_nothing) {
  Patience patience{Patience::Limits{}};
  for (int i = 0; i < 1000; ++i) {
    patience.began(at(i * 250));
    patience.ended(at(i * 250 + 250));
  }
  EXPECT_FALSE(patience.is_over(at(250'000)));
  EXPECT_EQ(patience.left(at(250'000)), milliseconds(2500));
}

TEST(Patience, slow_answers_add_up_over_the_run) {
  Patience patience{Patience::Limits{}};
  int answered = 0;
  for (int ms = 0; !patience.is_over(at(ms)); ms += 900) {
    patience.began(at(ms));
    patience.ended(at(ms + 900));
    ++answered;
  }
  EXPECT_EQ(answered, 4);  // 650 ms each
}

TEST(Patience, nothing_counts_while_nothing_is_wanted) {
  Patience patience{Patience::Limits{}};
  patience.began(at(0));
  patience.ended(at(10));
  EXPECT_FALSE(patience.is_over(at(1'000'000)));
}

TEST(Patience, many_at_once_wait_for_the_same_silence) {
  Patience patience{Patience::Limits{}};
  for (int i = 0; i < 64; ++i) patience.began(at(0));
  EXPECT_FALSE(patience.is_over(at(900)));
  EXPECT_EQ(patience.left(at(900)), milliseconds(2500 - 650));
}

TEST(Patience, data_are_a_sign_of_life_and_a_trickle_is_none) {
  Patience flowing{Patience::Limits{}};
  flowing.began(at(0));
  for (int ms = 100; ms < 60'000; ms += 100) {
    flowing.moved(at(ms), 8 << 10);  // 80 KiB/s
    ASSERT_FALSE(flowing.is_over(at(ms))) << ms;
  }
  Patience trickling{Patience::Limits{}};
  trickling.began(at(0));
  int ms = 0;
  while (ms < 60'000 && !trickling.is_over(at(ms))) trickling.moved(at(ms += 100), 1);
  EXPECT_LE(ms, 2800);
}

TEST(Patience, who_was_stopped_itself_does_not_blame_the_remote) {
  Patience patience{Patience::Limits{}};
  patience.began(at(0));
  EXPECT_FALSE(patience.is_over(at(100)));
  EXPECT_FALSE(patience.is_over(at(3'600'000)));  // an hour in the debugger
  for (int ms = 100; ms < 2600; ms += 100) EXPECT_FALSE(patience.is_over(at(3'600'000 + ms))) << ms;
  EXPECT_TRUE(patience.is_over(at(3'600'000 + 2700)));
}

}  // namespace
}  // namespace weir
