#include "core/base/remove_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
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
  constexpr int kLevels = 1500;
  UniqueFd at(::open(folder_.path().c_str(), O_PATH | O_DIRECTORY));
  const UniqueFd root(::dup(at.get()));
  for (int i = 0; i < kLevels; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "deep", 0700), 0);
    at = UniqueFd(::openat(at.get(), "deep", O_PATH | O_DIRECTORY));
  }
  const auto removed = remove_tree(root.get(), "deep");
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(path("deep")));
}

// Waits for the first file of `folder` to go, and exchanges the folder for the link: its other files are
// still to be removed then, and what is below it comes after them.
void exchange_when_it_shrinks(const std::string& folder, const std::string& link, std::atomic<bool>& watches,
                              bool& exchanged) {
  const UniqueFd events(::inotify_init1(IN_CLOEXEC));
  if (::inotify_add_watch(events.get(), folder.c_str(), IN_DELETE) < 0) return;
  watches = true;
  watches.notify_one();
  char buffer[4096];
  if (::read(events.get(), buffer, sizeof buffer) <= 0) return;
  exchanged = ::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE) == 0;
}

TEST_F(RemoveTree, folders_that_are_exchanged_for_links_meanwhile_lead_nowhere) {
  constexpr int kRounds = 5, kFiles = 5000;
  folder_.write("victim/sub/kept", "x");
  fs::permissions(path("victim/sub"), fs::perms(0500));
  for (int round = 0; round < kRounds; ++round) {
    fs::create_directories(path("tree/inner/sub"));
    for (int file = 0; file < kFiles; ++file) folder_.write("tree/inner/" + std::to_string(file), "");
    fs::create_symlink(path("victim"), path("link"));
    std::atomic<bool> watches = false;
    bool exchanged = false;
    std::thread attacker(exchange_when_it_shrinks, path("tree/inner"), path("link"), std::ref(watches),
                         std::ref(exchanged));
    watches.wait(false);
    (void)remove_tree(AT_FDCWD, path("tree"));
    attacker.join();
    EXPECT_TRUE(exchanged);
    ASSERT_TRUE(fs::exists(path("victim/sub/kept")));
    EXPECT_EQ(fs::status(path("victim/sub")).permissions(), fs::perms(0500));
    EXPECT_TRUE(remove_tree(AT_FDCWD, path("tree"))) << "the next attempt removes the link";
    EXPECT_TRUE(remove_tree(AT_FDCWD, path("link")));
  }
  fs::permissions(path("victim/sub"), fs::perms(0700));
}

}  // namespace
}  // namespace weir
