#include "core/base/regular_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

std::string text_of(std::ifstream file) { return {std::istreambuf_iterator<char>(file), {}}; }

TEST(RegularFile, is_read_also_through_a_link) {
  const TemporaryFolder folder;
  folder.write("file", "text");
  std::filesystem::create_symlink("file", folder / "link");
  EXPECT_EQ(text_of(open_regular_file(folder / "file")), "text");
  EXPECT_EQ(text_of(open_regular_file(folder / "link")), "text");
}

TEST(RegularFile, anything_else_is_not_opened) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("fifo", folder / "link");
  for (const auto* name : {"fifo", "link", ".", "missing"})
    EXPECT_FALSE(open_regular_file(folder / name).is_open()) << name;
}

// Opening a fifo waits for its other end, so this does not end if one is ever opened.
TEST(RegularFile, a_fifo_that_takes_the_place_of_a_file_is_never_opened) {
  const TemporaryFolder folder;
  folder.write("file", "text");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop)
      ::renameat2(AT_FDCWD, (folder / "file").c_str(), AT_FDCWD, (folder / "fifo").c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < 5000; ++i) {
    auto file = open_regular_file(folder / "file");
    if (!file.is_open()) continue;
    EXPECT_EQ(text_of(std::move(file)), "text");
  }
  stop = true;
  other.join();
}

}  // namespace
}  // namespace weir
