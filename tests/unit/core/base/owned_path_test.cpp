#include "core/base/owned_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobodyKnown = 23458;

class OwnedPath : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_ / name; }
  TemporaryFolder folder_;
};

TEST_F(OwnedPath, what_is_there_and_what_is_missing_is_told_apart) {
  folder_.write("a/file", "x");
  const auto file = resolve_path(path("a/./file"), Way::owned);
  ASSERT_TRUE(file && file->found);
  EXPECT_EQ(file->path, path("a/file"));
  EXPECT_EQ(file->name, "file");
  EXPECT_TRUE(S_ISREG(file->info.st_mode));
  const auto missing = resolve_path(path("a/b/c"), Way::owned);
  ASSERT_TRUE(missing && !missing->found);
  EXPECT_EQ(missing->path, path("a"));
  EXPECT_EQ(missing->missing, "b/c");
  const auto up = resolve_path(path("a/.."), Way::owned);
  ASSERT_TRUE(up && up->found);
  EXPECT_EQ(up->name, "");
  EXPECT_FALSE(resolve_path(path("a/file/below"), Way::owned));
}

TEST_F(OwnedPath, links_lead_to_what_they_name) {
  folder_.write("far/file", "x");
  fs::create_symlink("far", path("near"));
  fs::create_symlink(path("near/file"), path("link"));
  const auto found = resolve_path(path("link"), Way::owned);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path, path("far/file"));
  fs::create_symlink("ring", path("ring"));
  EXPECT_FALSE(resolve_path(path("ring"), Way::owned));
  fs::create_symlink("nothing", path("dangling"));
  const auto dangling = resolve_path(path("dangling"), Way::any_owner);
  ASSERT_TRUE(dangling && !dangling->found);
  EXPECT_EQ(dangling->missing, "nothing");
}

TEST_F(OwnedPath, an_open_file_is_found_by_its_descriptor) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]), writer(ends[1]);
  const auto pipe = resolve_path("/proc/self/fd/" + std::to_string(writer.get()), Way::any_owner);
  ASSERT_TRUE(pipe) << pipe.error().message;
  EXPECT_TRUE(S_ISFIFO(pipe->info.st_mode));
}

TEST_F(OwnedPath, folders_are_made_for_the_user_alone) {
  fs::create_directory(path("there"));
  fs::permissions(path("there"), fs::perms(0755));
  ASSERT_TRUE(make_owned_folder(path("there/a/b")));
  EXPECT_EQ(fs::status(path("there/a")).permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(path("there/a/b")).permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(path("there")).permissions(), fs::perms(0755)) << "what is there stays";
  EXPECT_TRUE(make_owned_folder(path("there/a/b")));
}

TEST_F(OwnedPath, modes_and_owners_that_let_others_in_are_refused_with_a_remedy) {
  fs::create_directories(path("open/inner"));
  fs::permissions(path("open"), fs::perms(0777));
  const auto open = resolve_path(path("open/inner"), Way::owned);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().reason, Reason::usage);
  EXPECT_NE(open.error().message.find("mode 0777"), std::string::npos) << open.error().message;
  EXPECT_EQ(open.error().remedy, "run `chmod go-w " + path("open") + "`");
  EXPECT_TRUE(resolve_path(path("open/inner"), Way::any_owner));
  fs::permissions(path("open"), fs::perms(01777));
  EXPECT_TRUE(resolve_path(path("open/inner"), Way::owned));
  EXPECT_FALSE(make_owned_folder(path("open"))) << "as the folder itself, others could add to it";
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(path("open/inner").c_str(), kNobodyKnown, kNobodyKnown), 0);
  EXPECT_FALSE(resolve_path(path("open/inner/x"), Way::owned));
  EXPECT_FALSE(make_owned_folder(path("open/inner")));
}

}  // namespace
}  // namespace weir
