#include "core/build/source_url.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(SourceUrl, paths_are_the_projects_and_all_else_stays_as_it_is) {
  const std::string root = "/home/me/project";
  EXPECT_EQ(absolute_url("dl/a.tar", root), "/home/me/project/dl/a.tar");
  EXPECT_EQ(absolute_url("../a.git", root), "/home/me/a.git");
  EXPECT_EQ(absolute_url("file:dl/a b", root), "/home/me/project/dl/a b");
  EXPECT_EQ(absolute_url("/srv/a.git", root), "/srv/a.git");
  EXPECT_EQ(absolute_url("-x", root), "/home/me/project/-x") << "never an option";
  EXPECT_EQ(absolute_url("--upload-pack=x:y", root), "/home/me/project/--upload-pack=x:y");
  EXPECT_EQ(absolute_url("./a:b", root), "/home/me/project/a:b");
  EXPECT_EQ(absolute_url("git@host:a.git", root), "git@host:a.git");
  EXPECT_EQ(absolute_url("https://a/b", root), "https://a/b");
  EXPECT_EQ(absolute_url("file:///a%20b", root), "file:///a%20b");
  EXPECT_EQ(absolute_url("", root), "");
}

}  // namespace
}  // namespace weir
