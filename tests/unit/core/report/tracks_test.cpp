#include "core/report/tracks.h"

#include <random>

namespace weir {
namespace {

using Spans = std::vector<std::pair<Duration, Duration>>;

Duration ms(int time) { return std::chrono::milliseconds(time); }

TEST(Tracks, one_that_begins_when_another_ends_has_its_track) {
  EXPECT_EQ(pack_tracks({{ms(0), ms(10)}, {ms(10), ms(20)}}), (std::vector<std::size_t>{0, 0}));
}

TEST(Tracks, the_lowest_that_is_free) {
  EXPECT_EQ(pack_tracks({{ms(0), ms(9)}, {ms(0), ms(5)}, {ms(1), ms(3)}, {ms(6), ms(9)}, {ms(7), ms(8)}}),
            (std::vector<std::size_t>{0, 1, 2, 1, 2}));
}

TEST(Tracks, what_takes_no_time_takes_no_track) {
  EXPECT_EQ(pack_tracks({{ms(1), ms(1)}, {ms(1), ms(1)}, {ms(1), ms(2)}}),
            (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_TRUE(pack_tracks({}).empty());
}

TEST(Tracks, none_overlap_and_there_are_no_more_than_needed) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Spans spans;
    for (int i = 0; i < 60; ++i) {
      const int begin = static_cast<int>(random() % 100);
      spans.emplace_back(ms(begin), ms(begin + static_cast<int>(random() % 20)));
    }
    std::sort(spans.begin(), spans.end());
    const auto tracks = pack_tracks(spans);
    std::size_t busiest = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      std::size_t at_once = 0;
      for (std::size_t j = 0; j < i; ++j) {
        ASSERT_TRUE(tracks[i] != tracks[j] || spans[j].second <= spans[i].first) << i << " " << j;
        at_once += spans[j].second > spans[i].first;
      }
      busiest = std::max(busiest, at_once + 1);
    }
    ASSERT_EQ(*std::max_element(tracks.begin(), tracks.end()) + 1, busiest);
  }
}

}  // namespace
}  // namespace weir
