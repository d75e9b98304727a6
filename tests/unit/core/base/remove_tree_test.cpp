#include "core/base/remove_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "core/base/fd.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

class RemoveTree : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  TemporaryFolder folder_;
};

TEST_F(RemoveTree, all_of_it_goes_whatever_its_modes) {
  folder_.write("tree/a/file", "x");
  folder_.write("tree/locked/file", "x");
  fs::create_symlink("/etc", path("tree/link"));
  ASSERT_EQ(::mkfifo(path("tree/fifo").c_str(), 0600), 0);
  ::chmod(path("tree/locked").c_str(), 0);
  EXPECT_TRUE(remove_tree(AT_FDCWD, path("tree")));
  EXPECT_FALSE(fs::exists(path("tree")));
  EXPECT_TRUE(remove_tree(AT_FDCWD, path("tree"))) << "gone already is fine";
  EXPECT_TRUE(remove_tree(AT_FDCWD, path("neither/tree")));
}

TEST_F(RemoveTree, links_are_removed_and_never_followed) {
  folder_.write("victim/kept", "x");
  fs::create_directory(path("tree"));
  fs::create_symlink(path("victim"), path("tree/link"));
  fs::create_symlink(path("victim"), path("link"));
  EXPECT_TRUE(remove_tree(AT_FDCWD, path("tree")));
  EXPECT_TRUE(remove_tree(AT_FDCWD, path("link")));
  const UniqueFd root(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY));
  fs::create_symlink(path("victim"), path("way"));
  EXPECT_FALSE(remove_tree(root.get(), "way/kept")) << "below a descriptor links on the way are refused";
  EXPECT_TRUE(fs::exists(path("victim/kept")));
}

// More levels than descriptors, and than a path has bytes.
TEST_F(RemoveTree, a_deep_tree_takes_few_descriptors) {
  constexpr int kLevels = 6000;
  UniqueFd at(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY));
  const UniqueFd root(::dup(at.get()));
  for (int i = 0; i < kLevels; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "d", 0700), 0);
    at = UniqueFd(::openat(at.get(), "d", O_PATH | O_DIRECTORY));
  }
  const auto removed = remove_tree(root.get(), "d");
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(path("d")));
}

// An attacker exchanges a folder of the tree for a link to a victim's, again and again, while it is removed.
TEST_F(RemoveTree, folders_that_are_exchanged_for_links_lead_nowhere) {
  constexpr int kRounds = 300;
  folder_.write("victim/sub/sub/kept", "x");
  fs::permissions(path("victim/sub"), fs::perms(0500));
  fs::create_symlink(path("victim"), path("link"));
  std::atomic<bool> over = false;
  std::atomic<int> exchanged = 0;
  std::thread attacker([&] {
    const auto inside = path("tree/sub"), outside = path("link");
    while (!over)
      exchanged += ::renameat2(AT_FDCWD, inside.c_str(), AT_FDCWD, outside.c_str(), RENAME_EXCHANGE) == 0;
  });
  for (int round = 0; round < kRounds || (exchanged == 0 && round < 100 * kRounds); ++round) {
    // Made where the attacker does not look for it.
    (void)remove_tree(AT_FDCWD, path("tree"));
    for (int file = 0; file < 20; ++file) folder_.write("made/sub/sub/f" + std::to_string(file), "x");
    if (::rename(path("made").c_str(), path("tree").c_str()) != 0) continue;
    (void)remove_tree(AT_FDCWD, path("tree"));
    if (!fs::is_symlink(fs::symlink_status(path("link")))) {
      (void)remove_tree(AT_FDCWD, path("link"));
      (void)!::symlink(path("victim").c_str(), path("link").c_str());
    }
    if (!fs::exists(path("victim/sub/sub/kept"))) break;
  }
  over = true;
  attacker.join();
  EXPECT_TRUE(fs::exists(path("victim/sub/sub/kept")));
  EXPECT_GT(exchanged, 0) << "the attacker had no turn";
  struct stat info {};
  ASSERT_EQ(::stat(path("victim/sub").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0500U) << "modes of the victim stay";
  fs::permissions(path("victim/sub"), fs::perms(0700));
}

}  // namespace
}  // namespace weir
