#include "resources/ledger.h"

namespace weir {
namespace {

class LedgerTest : public testing::Test {
 protected:
  RequestId request(std::vector<TokenNeed> needs) { return *ledger.intern(needs); }
  Ledger ledger;
  TokenId process = ledger.add("process", 4);
  TokenId cache = ledger.add("cache", 8);
  Ledger::Claim nobody;
};

TEST_F(LedgerTest, a_reservation_gives_back_when_it_dies) {
  const auto two = request({{process, 2}});
  {
    auto first = ledger.try_reserve(two, nobody);
    auto moved = std::move(first);
    EXPECT_TRUE(moved);
    EXPECT_EQ(ledger.used(process), 2);
    moved = ledger.try_reserve(two, nobody);  // the old one is given back after the new one was taken
    EXPECT_EQ(ledger.used(process), 2);
  }
  EXPECT_TRUE(ledger.idle());
}

TEST_F(LedgerTest, an_allowance_limits_what_is_used_and_never_stops_the_first) {
  const auto one = request({{process, 1}}), three = request({{process, 3}});
  ledger.set_allowance(process, 2);
  {
    const auto big = ledger.try_reserve(three, nobody);
    EXPECT_TRUE(big) << "nothing else is in use";
    EXPECT_FALSE(ledger.try_reserve(one, nobody));
    EXPECT_EQ(ledger.free(process), -1);
  }
  const auto first = ledger.try_reserve(one, nobody), second = ledger.try_reserve(one, nobody);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(ledger.try_reserve(one, nobody));
  EXPECT_EQ(ledger.shortage(one, nobody)->free, 0);
  ledger.set_allowance(process, 9);
  EXPECT_EQ(ledger.free(process), 2) << "there are no more than there are";
  EXPECT_TRUE(ledger.check(std::vector<TokenNeed>{{process, 4}}))
      << "what may be asked for is another question";
}

TEST_F(LedgerTest, a_check_says_what_interning_would_and_keeps_nothing) {
  const auto words = [](const auto& answer) { return answer ? "taken" : answer.error().message; };
  for (const std::vector<TokenNeed>& needs :
       {std::vector<TokenNeed>{{process, 3}}, {{process, 3}, {process, 2}}, {{cache, 9}}, {{cache, 0}}}) {
    const auto before = ledger.requests();
    const auto checked = words(ledger.check(needs));
    EXPECT_EQ(ledger.requests(), before);
    EXPECT_EQ(checked, words(ledger.intern(needs)));
  }
}

TEST_F(LedgerTest, what_was_taken_once_is_taken_again_after_the_count_was_lowered) {
  const std::vector<TokenNeed> three{{process, 3}}, four{{process, 4}};
  const auto first = request(three);
  ASSERT_TRUE(ledger.set_capacity(process, 0));
  EXPECT_TRUE(ledger.check(three));
  EXPECT_EQ(request(three), first);
  EXPECT_FALSE(ledger.check(four));
  EXPECT_FALSE(ledger.intern(four));
}

TEST_F(LedgerTest, requests_are_all_or_nothing) {
  const auto both = request({{process, 1}, {cache, 8}});
  const auto some = ledger.try_reserve(request({{cache, 1}}), nobody);
  EXPECT_FALSE(ledger.try_reserve(both, nobody));
  EXPECT_EQ(ledger.used(process), 0);
  const auto shortage = ledger.shortage(both, nobody);
  ASSERT_TRUE(shortage);
  EXPECT_EQ(shortage->token, cache);
  EXPECT_EQ(shortage->need, 8);
  EXPECT_EQ(shortage->free, 7);
}

TEST_F(LedgerTest, exclusive_means_alone_both_ways) {
  const auto alone = request({{cache, 1, true}}), shared = request({{cache, 1}});
  auto one = ledger.try_reserve(shared, nobody);
  EXPECT_FALSE(ledger.try_reserve(alone, nobody));
  one.release();
  const auto exclusive = ledger.try_reserve(alone, nobody);
  EXPECT_TRUE(exclusive);
  EXPECT_FALSE(ledger.try_reserve(shared, nobody));
}

TEST_F(LedgerTest, a_claim_keeps_others_off_what_the_claimant_lacks_and_off_nothing_else) {
  const auto big = request({{process, 4}}), small = request({{process, 1}}), other = request({{cache, 1}});
  auto running = ledger.try_reserve(small, nobody);
  const auto claim = ledger.claim(big);
  EXPECT_FALSE(ledger.try_reserve(small, nobody));
  EXPECT_TRUE(ledger.try_reserve(other, nobody));
  running.release();
  EXPECT_FALSE(ledger.try_reserve(small, nobody));
  EXPECT_TRUE(ledger.try_reserve(big, claim));
}

TEST_F(LedgerTest, claims_are_served_in_order_and_do_not_block_each_other_for_ever) {
  const auto alone = request({{cache, 1, true}}), also = request({{cache, 2, true}});
  const auto first = ledger.claim(alone), second = ledger.claim(also);
  EXPECT_FALSE(ledger.try_reserve(also, second));
  EXPECT_TRUE(ledger.try_reserve(alone, first));
}

TEST_F(LedgerTest, capacity_may_fall_below_what_is_used) {
  const auto two = request({{process, 2}});
  auto held = ledger.try_reserve(two, nobody);
  ASSERT_TRUE(ledger.set_capacity(process, 1));
  EXPECT_FALSE(ledger.try_reserve(request({{process, 1}}), nobody));
  held.release();
  EXPECT_TRUE(ledger.try_reserve(request({{process, 1}}), nobody));
  EXPECT_FALSE(ledger.set_capacity(process, -1));
  EXPECT_EQ(ledger.capacity(process), 1);
}

TEST_F(LedgerTest, equal_needs_are_one_request_and_needs_of_one_token_add_up) {
  EXPECT_EQ(request({{process, 1}, {cache, 2}}), request({{cache, 1}, {process, 1}, {cache, 1}}));
}

TEST_F(LedgerTest, what_can_never_run_is_refused_in_words) {
  const TokenNeed too_much{process, 5}, nothing{process, 0}, unknown{TokenId{77}, 1};
  const auto refused = ledger.intern({&too_much, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "needs 5 of process, but there is only 4");
  EXPECT_FALSE(ledger.intern({&nothing, 1}));
  EXPECT_FALSE(ledger.intern({&unknown, 1}));
}

using LedgerDeath = LedgerTest;
TEST_F(LedgerDeath, the_same_token_twice_is_a_bug_and_says_so) {
  EXPECT_EXIT(ledger.add("process", 1), testing::ExitedWithCode(70), "token process is there already");
}

}  // namespace
}  // namespace weir
