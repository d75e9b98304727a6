#include "core/base/file_stamp.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

std::uint64_t value(const std::string& path) { return stamp_of(path.c_str()).value; }

TEST(FileStamp, stat_and_statx_say_the_same) {
  const TemporaryFolder folder;
  folder.write("file", "text");
  for (const auto& path : {folder / "file", folder.path()}) {
    struct statx info {};
    ASSERT_EQ(::statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS, &info), 0);
    EXPECT_EQ(stamp_of(info).value, value(path));
    EXPECT_EQ(stamp_of(info).newest_ns, stamp_of(path.c_str()).newest_ns);
  }
}

TEST(FileStamp, what_is_not_there_has_none) { EXPECT_EQ(value("/nowhere/at/all"), 0u); }

TEST(FileStamp, size_mode_and_times_count_and_atime_does_not) {
  const TemporaryFolder folder;
  folder.write("file", "text");
  const auto before = value(folder / "file");
  const timespec read_only_time[2] = {{1, 0}, {0, UTIME_OMIT}};
  // Setting atime changes ctime; reading does not.
  EXPECT_EQ(folder.read("file"), "text");
  EXPECT_EQ(value(folder / "file"), before);
  // Of two changes within one tick of the clock the second has the same ctime, on most kernels.
  for (int i = 0; i < 100'000 && value(folder / "file") == before; ++i)
    ::utimensat(AT_FDCWD, (folder / "file").c_str(), read_only_time, 0);
  EXPECT_NE(value(folder / "file"), before);
  const StampFacts facts{1, 2, S_IFREG, 3, 4, 5};
  auto other = facts;
  other.mode |= S_IXUSR;
  EXPECT_NE(stamp_of(facts).value, stamp_of(other).value);
  other = facts;
  other.mode |= S_IWOTH;
  EXPECT_EQ(stamp_of(facts).value, stamp_of(other).value);
  other = facts;
  other.ctime_ns = 6;
  EXPECT_NE(stamp_of(facts).value, stamp_of(other).value);
}

TEST(FileStamp, a_time_as_young_as_the_look_is_not_believed) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  EXPECT_FALSE(is_settled(10 * kSecond, 10 * kSecond));
  EXPECT_FALSE(is_settled(10 * kSecond, 12 * kSecond));
  EXPECT_TRUE(is_settled(10 * kSecond, 12 * kSecond + 1));
  EXPECT_FALSE(is_settled(20 * kSecond, 10 * kSecond)) << "a clock that went back";
}

}  // namespace
}  // namespace weir
