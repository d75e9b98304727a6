#include "core/base/text.h"

#include <array>

namespace weir {
namespace {

using namespace std::chrono_literals;

TEST(Text, near_misses_are_found_and_far_ones_are_not) {
  constexpr std::array<std::string_view, 4> kWords = {"build", "depends", "zlib", "a"};
  EXPECT_EQ(did_you_mean("biuld", kWords), "build");
  EXPECT_EQ(did_you_mean("dependz", kWords), "depends");
  EXPECT_EQ(did_you_mean("zlb", kWords), "zlib");
  EXPECT_EQ(did_you_mean("entirely", kWords), std::nullopt);
}

TEST(Text, durations_are_read_and_written) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("1.5m"), 90s);
  EXPECT_EQ(parse_duration("2h"), 2h);
  for (const auto* bad : {"", "10", "s", "-1s", "1e30h", "10 s", "nan s", "5x"})
    EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
  EXPECT_EQ(format_duration(400ms), "0.4s");
  EXPECT_EQ(format_duration(245s), "4m05s");
  EXPECT_EQ(format_duration(2h + 3min), "2h03m");
}

TEST(Text, sizes_are_read_and_written) {
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("600M"), 600u << 20);
  EXPECT_EQ(parse_bytes("1.5GiB"), 3u << 29);
  for (const auto* bad : {"", "M", "-1", "1X", "1MiBs", "1e40"})
    EXPECT_EQ(parse_bytes(bad), std::nullopt) << bad;
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
}

TEST(Text, passwords_of_urls_are_left_out) {
  EXPECT_EQ(without_passwords("get https://me:pw@host/x and http://b@c/d"),
            "get https://***@host/x and http://***@c/d");
  for (const auto* same : {"https://host/a@b", "me@host:path", "", "://", "a://b", "x@y"})
    EXPECT_EQ(without_passwords(same), same);
}

}  // namespace
}  // namespace weir
