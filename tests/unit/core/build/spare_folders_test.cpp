#include "core/build/spare_folders.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>

#include "core/base/fd.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

class Spares : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return here_ / name; }
  // All that is below a folder, directories with a slash.
  std::set<std::string> content(const std::string& name) const {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(path(name)))
      all.insert(fs::relative(entry.path(), path(name)).string() + (entry.is_directory() ? "/" : ""));
    return all;
  }
  static ino_t inode(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_ino;
  }
  void make(const std::string& name) {
    const auto made = spares_->make(path(name));
    ASSERT_TRUE(made) << made.error().message;
  }
  // One that was made a tick ago, as file systems count time: it is handed out with its times known.
  void make_from_old_spare(const std::string& name) {
    make("old");
    struct stat info {};
    ASSERT_EQ(::stat(path("old/build").c_str(), &info), 0);
    spares_->give_back(path("old"));
    timespec now{};
    do ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    while (now.tv_sec == info.st_ctim.tv_sec && now.tv_nsec <= info.st_ctim.tv_nsec);
    make(name);
  }

  TemporaryFolder here_;
  std::optional<SpareFolders> spares_{std::in_place, path("%spare"), "/opt/weir"};
  const std::set<std::string> kNew{"build/", "install/", "install/opt/", "install/opt/weir/"};
};

TEST_F(Spares, a_folder_has_a_build_directory_and_an_install_root) {
  make("a");
  EXPECT_EQ(content("a"), kNew);
}

TEST_F(Spares, what_is_given_back_is_gone_and_handed_on_empty) {
  make("a");
  const auto before = inode(path("a/build"));
  std::ofstream(path("a/build/x.o")) << "x";
  fs::create_directories(path("a/build/deep/er"));
  std::ofstream(path("a/install/opt/weir/tool")) << "x";
  std::ofstream(path("a/install/elsewhere")) << "x";
  fs::create_directory(path("a/prefix"));
  fs::create_symlink("/", path("a/build/link"));
  spares_->give_back(path("a"));
  EXPECT_FALSE(fs::exists(path("a")));
  make("b");
  EXPECT_EQ(content("b"), kNew);
  EXPECT_EQ(inode(path("b/build")), before);
}

TEST_F(Spares, what_stands_in_the_way_is_removed) {
  make("a");
  spares_->give_back(path("a"));
  fs::create_directories(path("b/build/old"));
  make("b");
  EXPECT_EQ(content("b"), kNew);
  fs::create_directories(path("c/install/old"));
  make("c");  // without a spare
  EXPECT_EQ(content("c"), kNew);
}

TEST_F(Spares, parents_of_a_folder_are_made) {
  make("far/away/a");
  EXPECT_EQ(content("far/away/a"), kNew);
  spares_->give_back(path("far/away/a"));
  make("other/b");
  EXPECT_EQ(content("other/b"), kNew);
}

// Jobs may change the directories themselves; none of that may reach the next one.
TEST_F(Spares, a_directory_that_was_changed_is_not_handed_on) {
  bool from_spare = false;
  const auto reused = [&](const std::function<void()>& change) {
    fs::remove_all(path("a"));
    fs::remove_all(path("b"));
    from_spare ? make_from_old_spare("a") : make("a");
    const auto before = inode(path("a/build"));
    // Held open, so that a new directory cannot get the number of one that is removed.
    const UniqueFd held(::open(path("a/build").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    change();
    spares_->give_back(path("a"));
    EXPECT_FALSE(fs::exists(path("a")));
    make("b");
    EXPECT_EQ(content("b"), kNew);
    const bool same = inode(path("b/build")) == before;
    spares_.emplace(path("%spare"), "/opt/weir");
    return same;
  };
  for (const bool spare : {false, true}) {
    SCOPED_TRACE(spare ? "of a spare" : "of a new one");
    from_spare = spare;
    EXPECT_TRUE(reused([] {}));
    EXPECT_FALSE(reused([&] { ::chmod(path("a/build").c_str(), 0700); }));
    EXPECT_FALSE(reused([&] { ::chmod(path("a/install/opt").c_str(), 02777); }));
    EXPECT_FALSE(reused([&] { ::chmod(path("a").c_str(), 0700); }));
    EXPECT_FALSE(reused([&] {
      fs::remove_all(path("a/install/opt/weir"));
      std::ofstream(path("a/install/opt/weir")) << "a file";
    }));
    EXPECT_FALSE(reused([&] {
      fs::remove_all(path("a/install/opt"));
      fs::create_directory(path("a/build/real"));
      fs::create_symlink("../build/real", path("a/install/opt"));
    }));
    EXPECT_FALSE(reused([&] { fs::remove_all(path("a/install")); }));
    const bool has_attributes = ::setxattr(here_.path().c_str(), "user.x", "y", 1, 0) == 0;
    EXPECT_EQ(reused([&] { ::setxattr(path("a/build").c_str(), "user.x", "y", 1, 0); }), !has_attributes);
  }
}

// Only the time of the last change tells, which nobody can set.
TEST_F(Spares, one_that_was_touched_is_noticed_whatever_its_times_say) {
  const auto untouched = [&](const std::function<void()>& change) {
    make_from_old_spare("a");
    change();
    const bool same = spares_->give_back_untouched(path("a"));
    EXPECT_EQ(same, !fs::exists(path("a")));
    spares_->give_back(path("a"));
    return same;
  };
  EXPECT_TRUE(untouched([] {}));
  EXPECT_FALSE(untouched([&] { std::ofstream(path("a/file")) << "x"; }));
  EXPECT_FALSE(untouched([&] { std::ofstream(path("a/install/opt/weir/file")) << "x"; }));
  EXPECT_FALSE(untouched([&] {
    struct stat before {};
    ASSERT_EQ(::stat(path("a/build").c_str(), &before), 0);
    std::ofstream(path("a/build/file")) << "x";
    const timespec times[] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, path("a/build").c_str(), times, 0), 0);
  }));
  EXPECT_FALSE(untouched([&] {
    fs::rename(path("a/build"), path("a/install/opt/weir/build"));
    fs::create_directory(path("a/build"));
  }));
}

TEST_F(Spares, one_that_was_filled_and_emptied_is_known_again) {
  make_from_old_spare("a");
  std::ofstream(path("a/build/file")) << "x";
  const auto before = inode(path("a/build"));
  spares_->give_back(path("a"));
  make("b");
  EXPECT_EQ(inode(path("b/build")), before);
  EXPECT_TRUE(spares_->give_back_untouched(path("b")));
}

// There the size of a directory follows from its entries.
TEST(SparesInMemory, are_handed_on) {
  if (!fs::is_directory("/dev/shm")) GTEST_SKIP() << "no file system in memory";
  std::string pattern = "/dev/shm/weir-test-XXXXXX";
  const std::string here = ::mkdtemp(pattern.data());
  {
    SpareFolders spares(here + "/%spare", "/weir");
    ASSERT_TRUE(spares.make(here + "/a"));
    spares.give_back(here + "/a");
    EXPECT_FALSE(fs::is_empty(here + "/%spare"));
  }
  fs::remove_all(here);
}

TEST_F(Spares, a_link_leads_out_of_no_folder) {
  fs::create_directories(path("precious"));
  std::ofstream(path("precious/file")) << "x";
  make("a");
  fs::remove_all(path("a/install/opt"));
  fs::create_symlink(path("precious"), path("a/install/opt"));
  fs::create_symlink(path("precious"), path("a/build/link"));
  spares_->give_back(path("a"));
  EXPECT_TRUE(fs::exists(path("precious/file")));
}

TEST_F(Spares, nothing_is_left_in_the_end) {
  make("a");
  make("b");
  spares_->give_back(path("a"));
  spares_->give_back(path("b"));
  spares_.reset();
  EXPECT_TRUE(fs::is_empty(here_.path()));
}

TEST_F(Spares, without_a_place_nothing_is_kept) {
  SpareFolders none({}, "/weir");
  ASSERT_TRUE(none.make(path("a")));
  none.give_back(path("a"));
  EXPECT_TRUE(fs::is_empty(here_.path()));
}

}  // namespace
}  // namespace weir
