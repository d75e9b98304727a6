#include "core/base/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

// By openat2, and as it is done where the kernel has none.
class Beneath : public testing::TestWithParam<bool> {
 protected:
  bool opens(const std::string& path, int flags = O_RDONLY) const {
    const auto opened = GetParam() ? open_beneath_by_parts(root_.get(), path, flags)
                                   : open_beneath(root_.get(), path, flags, 0, Links::none);
    return static_cast<bool>(opened);
  }
  TemporaryFolder folder_;
  UniqueFd root_{::open(folder_.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
};

TEST_P(Beneath, what_is_there_is_opened) {
  folder_.write("a/b/file", "x");
  EXPECT_TRUE(opens("a/b/file") && opens("a/b", O_RDONLY | O_DIRECTORY) && opens(".") && opens("a/b/"));
  EXPECT_TRUE(opens("a//b/./file") && opens("a", O_PATH));
  EXPECT_FALSE(opens("a/c") || errno != ENOENT);
}

TEST_P(Beneath, neither_links_nor_ways_up_are_followed) {
  folder_.write("a/file", "x");
  std::filesystem::create_symlink("a", folder_ / "link");
  std::filesystem::create_symlink("file", folder_ / "a/last");
  EXPECT_FALSE(opens("link/file"));
  EXPECT_FALSE(opens("a/last") || errno != ELOOP);
  EXPECT_FALSE(opens("a/last", O_PATH) || errno != ELOOP);
  EXPECT_FALSE(opens("link", O_RDONLY | O_DIRECTORY));
  EXPECT_FALSE(opens("../" + std::filesystem::path(folder_.path()).filename().string()) || errno != EXDEV);
  EXPECT_FALSE(opens("/etc"));
}

INSTANTIATE_TEST_SUITE_P(, Beneath, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "by_parts" : "by_openat2"; });

}  // namespace
}  // namespace weir
