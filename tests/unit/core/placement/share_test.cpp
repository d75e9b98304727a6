#include "core/placement/share.h"

namespace weir {
namespace {

std::vector<Decimal> decimals(std::initializer_list<const char*> texts) {
  std::vector<Decimal> out;
  for (const auto* text : texts) out.push_back(*Decimal::parse(text));
  return out;
}

std::vector<std::int64_t> shared(std::int64_t n, std::initializer_list<const char*> weights,
                                 std::vector<std::int64_t> caps, std::vector<std::int64_t> held = {}) {
  std::vector<Demand> demands;
  for (std::size_t i = 0; i < caps.size(); ++i) demands.push_back({caps[i], held.empty() ? 0 : held[i]});
  return share(n, Weights::of(decimals(weights)), demands);
}

using Counts = std::vector<std::int64_t>;

TEST(Share, gives_the_rest_to_the_largest_remainders) {
  EXPECT_EQ(shared(10, {"1", "1", "1"}, {10, 10, 10}), (Counts{4, 3, 3}));
}

TEST(Share, ties_go_to_the_larger_weight_then_to_the_first) {
  // 2.5, 1.5, 0: both remainders are a half.
  EXPECT_EQ(shared(4, {"3", "5", "0"}, {10, 10, 10}), (Counts{1, 3, 0}));
  EXPECT_EQ(shared(1, {"5", "5"}, {10, 10}), (Counts{1, 0}));
}

TEST(Share, what_one_cannot_use_goes_to_the_others) {
  EXPECT_EQ(shared(10, {"8", "1", "1"}, {2, 9, 9}), (Counts{2, 4, 4}));
}

TEST(Share, nobody_gets_more_than_there_is_or_than_it_can_use) {
  EXPECT_EQ(shared(100, {"1", "2"}, {3, 4}), (Counts{3, 4}));
  EXPECT_EQ(shared(0, {"1", "2"}, {3, 4}), (Counts{0, 0}));
  EXPECT_EQ(shared(5, {"0", "0"}, {3, 4}), (Counts{0, 0}));
  EXPECT_EQ(shared(5, {}, {}), Counts{});
}

TEST(Share, levels_are_raised_from_the_lowest_up) {
  EXPECT_EQ(shared(13, {"9", "2"}, {22121, 24099}, {2816, 80}), (Counts{0, 13}));
  EXPECT_EQ(shared(6, {"1", "1"}, {10, 10}, {4, 0}), (Counts{1, 5}));
}

TEST(Share, decimals_are_exact) {
  // In doubles 0.1 + 0.2 is not 0.3, and the remainders would differ.
  EXPECT_EQ(shared(3, {"0.1", "0.2", "0.3"}, {9, 9, 9}), (Counts{0, 1, 2}));
  EXPECT_EQ(shared(1, {"0.30000000000000000000001", "0.3"}, {1, 1}), (Counts{1, 0}));
  EXPECT_EQ(shared(1, {"0.3", "0.30000000000000000000001"}, {1, 1}), (Counts{0, 1}));
}

TEST(Share, numbers_far_apart_are_exact_too) {
  EXPECT_EQ(shared(10, {"1e-300", "1e300"}, {10, 10}), (Counts{0, 10}));
  EXPECT_EQ(shared(10, {"1e-300", "1e300"}, {10, 4}), (Counts{6, 4}));
}

TEST(Decimal, reads_numbers_of_json_and_nothing_else) {
  for (const auto* text :
       {"", "nan", "inf", "+1", ".5", "1.", "01", "1e", "1e+", "0x10", "1 ", "1e999", "1e-999"})
    EXPECT_FALSE(Decimal::parse(text)) << text;
  EXPECT_EQ(Decimal::parse("-0.0"), Decimal());
  EXPECT_EQ(Decimal::parse("0e99999999999"), Decimal());
  EXPECT_EQ(Decimal::parse("100"), Decimal::parse("1.0e2"));
  EXPECT_TRUE(Decimal::parse("-1")->is_negative());
  EXPECT_EQ(Decimal::parse("12e3")->whole(), 12000);
  EXPECT_EQ(Decimal::parse("-7")->whole(), -7);
  EXPECT_EQ(Decimal::parse("1.5")->whole(), std::nullopt);
  EXPECT_EQ(Decimal::from(33.3), Decimal::parse("33.3"));
  EXPECT_FALSE(Decimal::from(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Decimal, is_ordered_by_value) {
  const auto ordered =
      decimals({"-10", "-9.5", "0", "1e-9", "0.1", "0.11", "0.2", "9", "10", "10.01", "1e20"});
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j)
      EXPECT_EQ(ordered[i] <=> ordered[j], i <=> j) << i << " " << j;
}

}  // namespace
}  // namespace weir
