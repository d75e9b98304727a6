#include "core/exec/disk_room.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;
const char* const kSaid = "cc: a.o: No space left on device\n";

TEST(DiskRoom, next_to_nothing_is_full_whatever_was_said) {
  EXPECT_TRUE(is_full({0, kGiB, 5, 10}, ""));
  EXPECT_TRUE(is_full({kMiB - 1, kGiB, 5, 10}, ""));
  EXPECT_FALSE(is_full({kMiB, kGiB, 5, 10}, ""));
}

TEST(DiskRoom, little_is_full_if_the_command_says_so) {
  EXPECT_TRUE(is_full({50 * kMiB, kGiB, 5, 10}, kSaid));
  EXPECT_FALSE(is_full({50 * kMiB, kGiB, 5, 10}, "cc: something else\n"));
  EXPECT_FALSE(is_full({500 * kMiB, kGiB, 5, 10}, kSaid));
}

TEST(DiskRoom, without_another_file_is_full_where_files_are_counted) {
  EXPECT_TRUE(is_full({kGiB, 2 * kGiB, 0, 10}, ""));
  EXPECT_FALSE(is_full({kGiB, 2 * kGiB, 0, 0}, ""));
}

TEST(DiskRoom, nowhere_is_not_full) {
  EXPECT_FALSE(is_on_full_disk("", kSaid));
  EXPECT_FALSE(is_on_full_disk("/no/such/path", kSaid));
}

}  // namespace
}  // namespace weir
