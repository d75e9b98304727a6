#include "core/store/directory_codec.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

class Import : public StoreTest {
 protected:
  // Files on disk are as old as this test; a clock an hour ahead makes them settled.
  void an_hour_later() {
    Options options;
    options.wall_clock_ns = [] {
      timespec now{};
      ::clock_gettime(CLOCK_REALTIME, &now);
      return (now.tv_sec + 3600) * 1'000'000'000 + now.tv_nsec;
    };
    reopen(std::move(options));
  }
  Imported import(const std::string& name) { return must(store().import(here() / name)); }
};

Directory directory_of(Store& store, const Digest& digest) {
  return must(decode_directory(must(store.read_blob(digest))));
}

}  // namespace

TEST_F(Import, random_trees_come_back_as_they_were) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto name = "t" + std::to_string(seed);
    make_random_tree(here() / name, random, 60);
    const auto tree = import(name).tree;
    const auto linked = stage(tree);
    EXPECT_EQ(must(store().import(linked.path())).tree, tree);
    const auto copied = stage(tree, StageMode::private_copy);
    EXPECT_EQ(must(store().import(copied.path())).tree, tree);
    must(store().checkout(tree, here() / ("out" + name)));
    EXPECT_EQ(import("out" + name).tree, tree);
    EXPECT_EQ(must(store().collect(here() / ("out" + name))).tree, tree);
  }
}

TEST_F(Import, order_of_creation_does_not_matter) {
  for (const auto& name : {"a", "b", "c"}) write_file(here() / "one" / name, name);
  for (const auto& name : {"c", "a", "b"}) write_file(here() / "two" / name, name);
  EXPECT_EQ(import("one").tree, import("two").tree);
}

TEST_F(Import, deep_and_wide_trees) {
  const auto wide = here() / "wide";
  for (int i = 0; i < 10'000; ++i) write_file(wide / std::to_string(i), std::to_string(i % 100));
  const auto tree = import("wide").tree;
  EXPECT_EQ(must(store().import(stage(tree).path())).tree, tree);
  // Names long enough for a path far beyond PATH_MAX.
  fs::create_directory(here() / "deep");
  UniqueFd at(::open((here() / "deep").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "level-with-a-name", 0755), 0);
    at = UniqueFd(::openat(at.get(), "level-with-a-name", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  UniqueFd(::openat(at.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  const auto deep = import("deep");
  EXPECT_EQ(deep.files, 1U);
  EXPECT_EQ(must(store().import(stage(deep.tree, StageMode::private_copy).path())).tree, deep.tree);
}

TEST_F(Import, one_file_is_a_tree_with_that_file) {
  write_file(here() / "tool", "#!/bin/sh\n", true);
  const auto directory = directory_of(store(), import("tool").tree);
  ASSERT_EQ(directory.files.size(), 1U);
  EXPECT_EQ(directory.files[0], (FileNode{"tool", digest_of("#!/bin/sh\n"), true}));
}

TEST_F(Import, large_files_are_streamed) {
  const std::string content(5'000'000, 'L');
  write_file(here() / "in/large", content);
  EXPECT_EQ(directory_of(store(), import("in").tree).files[0].digest, digest_of(content));
}

TEST_F(Import, excluded_paths_are_left_out_with_all_below) {
  write_file(here() / "in/.git/config", "x");
  write_file(here() / "in/a", "a");
  const auto imported =
      must(store().import(here() / "in", [](std::string_view path) { return path == ".git"; }));
  EXPECT_EQ(imported.files, 1U);
  EXPECT_TRUE(directory_of(store(), imported.tree).directories.empty());
}

TEST_F(Import, leaves_a_users_files_alone) {
  write_file(here() / "in/a", "content", true);
  const auto before = stat_of(here() / "in/a");
  import("in");
  const auto after = stat_of(here() / "in/a");
  EXPECT_EQ(after.st_nlink, 1U);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
  EXPECT_EQ(after.st_ctim.tv_nsec, before.st_ctim.tv_nsec);
}

TEST_F(Import, symlinks_are_kept_and_never_followed) {
  write_file(here() / "secret/key", "secret");
  fs::create_directory(here() / "in");
  fs::create_symlink(here() / "secret", here() / "in/to-directory");
  fs::create_symlink("/nowhere", here() / "in/dangling");
  fs::create_symlink("self", here() / "in/self");
  const auto directory = directory_of(store(), import("in").tree);
  EXPECT_EQ(directory.symlinks.size(), 3U);
  EXPECT_EQ(directory.symlinks[2].target, (here() / "secret").string());
  EXPECT_FALSE(store().has(digest_of("secret")));
}

TEST_F(Import, a_fifo_is_refused_by_name) {
  fs::create_directory(here() / "in");
  ASSERT_EQ(::mkfifo((here() / "in/pipe").c_str(), 0644), 0);
  const auto refused = store().import(here() / "in");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::project);
  EXPECT_NE(refused.error().message.find("pipe is a fifo"), std::string::npos);
}

TEST_F(Import, an_unchanged_source_is_not_read_again) {
  write_file(here() / "in/a", "a");
  write_file(here() / "in/sub/b", "b");
  an_hour_later();
  const auto first = import("in");
  EXPECT_EQ(first.read, 2U);
  const auto second = import("in");
  EXPECT_EQ(second.read, 0U);
  EXPECT_EQ(second.tree, first.tree);
  write_file(here() / "in/a", "c");  // the same size
  const auto third = import("in");
  EXPECT_EQ(third.read, 1U);
  EXPECT_NE(third.tree, first.tree);
}

TEST_F(Import, a_young_file_is_read_again_whatever_its_stat) {
  write_file(here() / "in/a", "a");
  import("in");
  EXPECT_EQ(import("in").read, 1U);
}

TEST_F(Import, a_changed_mode_alone_changes_the_tree) {
  write_file(here() / "in/a", "a");
  an_hour_later();
  const auto plain = import("in").tree;
  ::chmod((here() / "in/a").c_str(), 0755);
  EXPECT_NE(import("in").tree, plain);
}

TEST_F(Import, what_gc_removed_is_read_again_in_spite_of_the_index) {
  write_file(here() / "in/a", "a");
  an_hour_later();
  const auto tree = import("in").tree;
  must(store().gc({}));
  EXPECT_FALSE(store().has(digest_of("a")));
  const auto again = import("in");
  EXPECT_EQ(again.read, 1U);
  EXPECT_EQ(again.tree, tree);
  EXPECT_EQ(read_file(fs::path(stage(tree).path()) / "a"), "a");
}

TEST_F(Import, a_damaged_index_is_ignored) {
  write_file(here() / "in/a", "a");
  an_hour_later();
  const auto tree = import("in").tree;
  for (const auto& entry : fs::directory_iterator(here() / "store/stat")) {
    auto bytes = read_file(entry.path());
    bytes[bytes.size() - 1] ^= 1;
    write_file(entry.path(), bytes);
  }
  const auto again = import("in");
  EXPECT_EQ(again.read, 1U);
  EXPECT_EQ(again.tree, tree);
}

TEST_F(Import, a_missing_path_is_not_found) {
  EXPECT_EQ(store().import(here() / "nothing").error().reason, Reason::not_found);
}

TEST_F(Import, collect_takes_outputs_by_rename) {
  write_file(here() / "out/bin/tool", "tool", true);
  const auto inode = stat_of(here() / "out/bin/tool").st_ino;
  must(store().collect(here() / "out"));
  EXPECT_EQ(stat_of(object(digest_of("tool"), true)).st_ino, inode);
  EXPECT_EQ(stat_of(object(digest_of("tool"), true)).st_mode & 07777, 0555U);
}

TEST_F(Import, collect_copies_what_has_a_second_name) {
  write_file(here() / "user/file", "shared");
  fs::create_directory(here() / "out");
  fs::create_hard_link(here() / "user/file", here() / "out/file");
  must(store().collect(here() / "out"));
  EXPECT_NE(stat_of(object(digest_of("shared"))).st_ino, stat_of(here() / "user/file").st_ino);
  EXPECT_EQ(stat_of(here() / "user/file").st_mode & 07777, 0644U);
}

TEST_F(Import, collect_strips_setuid_setgid_and_sticky_and_says_so) {
  write_file(here() / "out/bin/su", "su", true);
  ASSERT_EQ(::chmod((here() / "out/bin/su").c_str(), 06755), 0);
  fs::create_directory(here() / "out/tmp");
  ASSERT_EQ(::chmod((here() / "out/tmp").c_str(), 01777), 0);
  fs::create_directory(here() / "out/shared");
  ASSERT_EQ(::chmod((here() / "out/shared").c_str(), 02755), 0);  // as it may be by its parent alone
  const auto collected = must(store().collect(here() / "out"));
  EXPECT_EQ(collected.stripped, (std::vector<std::string>{"tmp", "bin/su"}));
  EXPECT_EQ(stat_of(fs::path(stage(collected.tree).path()) / "bin/su").st_mode & 07777, 0555U);
}

TEST_F(Import, collect_refuses_a_device_node) {
  fs::create_directories(here() / "out/dev");
  if (::mknod((here() / "out/dev/null").c_str(), S_IFCHR | 0666, (1 << 8) | 3) != 0)
    GTEST_SKIP() << "only root can make a device node";
  const auto refused = store().collect(here() / "out");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("dev/null is a device node"), std::string::npos);
}

TEST_F(Import, collect_reads_what_the_build_made_unreadable) {
  write_file(here() / "out/dir/file", "hidden");
  ::chmod((here() / "out/dir/file").c_str(), 0);
  ::chmod((here() / "out/dir").c_str(), 0);
  must(store().collect(here() / "out"));
  EXPECT_TRUE(store().has(digest_of("hidden")));
  EXPECT_TRUE(fs::exists(object(digest_of("hidden"))));  // not executable by weir's own chmod
}

}  // namespace weir::store::test
