#include "core/scheduler/ready_set.h"

#include <set>

#include "core/base/random.h"
#include "core/scheduler/priority.h"

namespace weir {
namespace {

TEST(ReadySet, behaves_as_a_sorted_set) {
  using enum ReadySet::Begin;
  // As a tree it becomes a bitmap on the way, but for the last size.
  for (const auto& [size, begin] : {std::pair{1u, as_bitmap},
                                    {63u, as_bitmap},
                                    {64u, as_bitmap},
                                    {65u, as_bitmap},
                                    {4096u, as_bitmap},
                                    {5000u, as_bitmap},
                                    {300'000u, as_bitmap},
                                    {1u, as_tree},
                                    {400u, as_tree},
                                    {4096u, as_tree},
                                    {300'000u, as_tree},
                                    {100'000'000u, as_tree}}) {
    Random random(size);
    ReadySet ready(size, begin);
    std::set<std::uint32_t> model;
    for (int round = 0; round < 20'000; ++round) {
      const auto position = static_cast<std::uint32_t>(random.below(size));
      if (random.chance(0.5)) {
        ready.insert(position);
        model.insert(position);
      } else if (random.chance(0.5)) {
        ready.erase(position);
        model.erase(position);
      } else if (const auto first = ready.first()) {
        ASSERT_EQ(*first, *model.begin());
        ready.erase(*first);
        model.erase(model.begin());
      }
      ASSERT_EQ(ready.size(), model.size());
      ASSERT_EQ(ready.first(), model.empty() ? std::nullopt : std::optional(*model.begin()));
    }
  }
}

TEST(PriorityOrder, is_longest_path_first_then_the_smaller_id) {
  Random random(9);
  std::vector<std::uint32_t> remaining(10'000);
  for (auto& length : remaining)
    length = static_cast<std::uint32_t>(random.chance(0.5) ? random.below(50) : random.next());
  const PriorityOrder order(remaining);
  for (std::uint32_t i = 0; i + 1 < order.size(); ++i) {
    const auto a = order.at(i), b = order.at(i + 1);
    ASSERT_TRUE(remaining[index(a)] > remaining[index(b)] ||
                (remaining[index(a)] == remaining[index(b)] && index(a) < index(b)));
    ASSERT_EQ(order.position(a), i);
  }
}

}  // namespace
}  // namespace weir
