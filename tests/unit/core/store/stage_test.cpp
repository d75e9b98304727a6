#include <mutex>
#include <set>
#include "core/store/file_tools.h"

#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

class Staging : public StoreTest {
 protected:
  Digest tree_of(const std::string& name) { return must(store().import(here() / name)).tree; }
  Status merge_status(const std::vector<Layer>& layers) {
    auto merged = store().merge(layers);
    return merged ? Status{} : Status(tl::unexpected(merged.error()));
  }
};

// Says EMLINK from the first link on, as ext4 does from the 65,000th.
class NoLinks final : public Filesystem {
  int link(int, const char*, int, const char*) override { return EMLINK; }
};

// Refuses every first link to an object, as the kernel does when another thread has just put the same object
// there.
class ReplacedObjects final : public Filesystem {
  int link(int from, const char* path, int to, const char* name) override {
    const std::lock_guard lock(mutex_);
    return refused_.insert(path).second ? ENOENT : Filesystem::link(from, path, to, name);
  }
  std::mutex mutex_;
  std::set<std::string> refused_;
};

}  // namespace

TEST_F(Staging, an_object_that_is_replaced_while_it_is_linked_is_linked_again) {
  reopen({.filesystem = std::make_shared<ReplacedObjects>()});
  write_file(here() / "in/plain", "p");
  write_file(here() / "in/tool", "t", true);
  const auto staged = stage(tree_of("in"));
  EXPECT_EQ(stat_of(fs::path(staged.path()) / "plain").st_ino, stat_of(object(digest_of("p"))).st_ino);
  EXPECT_EQ(stat_of(fs::path(staged.path()) / "tool").st_ino, stat_of(object(digest_of("t"), true)).st_ino);
}

TEST_F(Staging, read_only_files_are_the_stores_inodes_with_one_mode_and_mtime) {
  write_file(here() / "in/plain", "p");
  write_file(here() / "in/tool", "t", true);
  const auto staged = stage(tree_of("in"));
  const auto plain = stat_of(fs::path(staged.path()) / "plain");
  const auto tool = stat_of(fs::path(staged.path()) / "tool");
  EXPECT_EQ(plain.st_ino, stat_of(object(digest_of("p"))).st_ino);
  EXPECT_EQ(tool.st_ino, stat_of(object(digest_of("t"), true)).st_ino);
  EXPECT_EQ(plain.st_mode & 07777, 0444U);
  EXPECT_EQ(tool.st_mode & 07777, 0555U);
  for (const auto& info : {plain, tool, stat_of(staged.path())}) EXPECT_EQ(info.st_mtim.tv_sec, kFixedMtime);
}

TEST_F(Staging, one_content_may_be_executable_here_and_not_there) {
  write_file(here() / "in/plain", "same");
  write_file(here() / "in/tool", "same", true);
  const auto staged = stage(tree_of("in"));
  EXPECT_EQ(stat_of(fs::path(staged.path()) / "plain").st_mode & 07777, 0444U);
  EXPECT_EQ(stat_of(fs::path(staged.path()) / "tool").st_mode & 07777, 0555U);
}

TEST_F(Staging, a_tree_is_linked_once_and_used_again) {
  write_file(here() / "in/a", "a");
  const auto tree = tree_of("in");
  const auto one = stage(tree);
  const auto two = stage(tree);
  EXPECT_EQ(one.path(), two.path());
  EXPECT_EQ(stat_of(fs::path(one.path()) / "a").st_nlink, 2U);
}

TEST_F(Staging, private_copies_can_be_changed_without_harm) {
  write_file(here() / "in/a", "good");
  const auto tree = tree_of("in");
  fs::path path;
  {
    const auto copy = stage(tree, StageMode::private_copy);
    path = copy.path();
    write_file(path / "a", "evil");
    write_file(path / "new", "new");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(must(store().read_blob(digest_of("good"))), "good");
  EXPECT_TRUE(must(store().verify()).clean());
}

TEST_F(Staging, copies_where_an_inode_has_no_more_room_for_names) {
  write_file(here() / "in/a", "a", true);
  Options options;
  options.filesystem = std::make_shared<NoLinks>();
  reopen(options);
  const auto staged = stage(tree_of("in"));
  EXPECT_EQ(read_file(fs::path(staged.path()) / "a"), "a");
  EXPECT_EQ(stat_of(fs::path(staged.path()) / "a").st_mode & 07777, 0555U);
}

TEST_F(Staging, merges_directories_of_several_trees) {
  write_file(here() / "a/lib/one", "1");
  write_file(here() / "a/share/same", "s");
  write_file(here() / "b/lib/two", "2");
  write_file(here() / "b/share/same", "s");
  fs::create_symlink("one", here() / "a/lib/link");
  fs::create_symlink("one", here() / "b/lib/link");
  const std::vector<Layer> layers{{tree_of("a"), "a"}, {tree_of("b"), "b"}};
  const auto staged = must(store().stage(layers, StageMode::read_only));
  const fs::path path = staged.path();
  EXPECT_EQ(read_file(path / "lib/one") + read_file(path / "lib/two") + read_file(path / "share/same"),
            "12s");
  EXPECT_EQ(fs::read_symlink(path / "lib/link"), "one");
  const std::vector<Layer> reversed{layers[1], layers[0]};
  EXPECT_EQ(must(store().merge(reversed)), staged.tree());
}

TEST_F(Staging, files_that_may_overlap_come_from_the_last_layer_but_never_replace_a_directory) {
  write_file(here() / "a/x/f", "a");
  write_file(here() / "b/x/f", "b");
  write_file(here() / "c/x/f/g", "c");
  const auto in_x = [](std::string_view path) { return path == "x/f"; };
  const std::vector<Layer> layers{{tree_of("a"), "a"}, {tree_of("b"), "b"}};
  EXPECT_EQ(must(store().merge(layers, in_x)), tree_of("b"));
  const std::vector<Layer> reversed{layers[1], layers[0]};
  EXPECT_EQ(must(store().merge(reversed, in_x)), tree_of("a"));
  EXPECT_FALSE(store().merge(layers, [](std::string_view) { return false; }));
  const std::vector<Layer> directory{{tree_of("c"), "c"}, {tree_of("a"), "a"}};
  EXPECT_FALSE(store().merge(directory, in_x));
}

TEST_F(Staging, no_layers_are_an_empty_directory) {
  const auto staged = must(store().stage({}, StageMode::read_only));
  EXPECT_TRUE(fs::is_empty(staged.path()));
}

TEST_F(Staging, a_conflict_names_the_path_and_both_owners) {
  write_file(here() / "a/lib/x", "1");
  write_file(here() / "b/lib/x", "2");
  const auto status = merge_status({{tree_of("a"), "liba"}, {tree_of("b"), "libb"}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().reason, Reason::project);
  for (const auto* word : {"lib/x", "liba", "libb"})
    EXPECT_NE(status.error().message.find(word), std::string::npos) << status.error().message;
}

TEST_F(Staging, of_three_owners_those_that_differ_are_named_and_equal_ones_are_no_conflict) {
  write_file(here() / "a/x", "same");
  write_file(here() / "b/x", "same");
  write_file(here() / "c/x", "other");
  const Layer a{tree_of("a"), "liba"}, b{tree_of("b"), "libb"}, c{tree_of("c"), "libc"};
  EXPECT_TRUE(merge_status({a, b, a}));
  EXPECT_EQ(merge_status({a, b, c}).error().message, "x comes from both liba and libc, and they differ");
  EXPECT_EQ(merge_status({c, a, b}).error().message, "x comes from both libc and liba, and they differ");
  const auto all = [](std::string_view) { return true; };
  for (const auto& last : {a, c}) {
    const std::vector<Layer> layers{c, a, c, b, last};
    EXPECT_EQ(must(store().merge(layers, all)), last.tree);
  }
}

TEST_F(Staging, a_folder_against_a_file_or_a_symlink_is_told_as_such_and_never_overlaps) {
  write_file(here() / "folder/x/y", "1");
  write_file(here() / "file/x", "1");
  fs::create_directory(here() / "link");
  fs::create_symlink("y", here() / "link/x");
  const Layer folder{tree_of("folder"), "one"};
  const auto all = [](std::string_view) { return true; };
  for (const std::string kind : {"file", "link"}) {
    const Layer other{tree_of(kind), "two"};
    const auto said =
        "x is a folder in one and a " + std::string(kind == "link" ? "symlink" : kind) + " in two";
    for (const auto& layers : {std::vector<Layer>{folder, other}, {other, folder}, {folder, folder, other}}) {
      EXPECT_EQ(merge_status(layers).error().message, said);
      EXPECT_EQ(store().merge(layers, all).error().message, said);
      EXPECT_NE(store().merge(layers, all).error().remedy, kInstallOnce);
    }
  }
}

TEST_F(Staging, a_file_against_a_directory_a_symlink_or_another_mode_is_a_conflict) {
  write_file(here() / "file/x", "1");
  write_file(here() / "directory/x/y", "1");
  write_file(here() / "tool/x", "1", true);
  fs::create_directory(here() / "link");
  fs::create_symlink("1", here() / "link/x");
  const Layer file{tree_of("file"), "file"};
  for (const auto* other : {"directory", "tool", "link"}) {
    EXPECT_FALSE(merge_status({file, {tree_of(other), other}})) << other;
    EXPECT_FALSE(merge_status({{tree_of(other), other}, file})) << other;
  }
  EXPECT_TRUE(merge_status({file, file}));
}

TEST_F(Staging, a_missing_object_is_a_miss_and_leaves_no_half_tree) {
  write_file(here() / "in/a", "a");
  const auto tree = tree_of("in");
  fs::remove(object(digest_of("a")));
  const Layer layer{tree, "in"};
  const auto staged = store().stage({&layer, 1}, StageMode::read_only);
  ASSERT_FALSE(staged);
  EXPECT_EQ(staged.error().reason, Reason::not_found);
  EXPECT_EQ(must(store().stat()).stages, 0U);
}

TEST_F(Staging, checkout_wants_an_empty_directory) {
  write_file(here() / "in/a", "a");
  EXPECT_EQ(store().checkout(tree_of("in"), here() / "in").error().reason, Reason::usage);
}

TEST_F(Staging, a_tree_message_holds_every_directory_once) {
  write_file(here() / "in/a/same/f", "f");
  write_file(here() / "in/b/same/f", "f");
  auto tree = must(store().read_tree(tree_of("in")));
  EXPECT_EQ(tree.root.directories.size(), 2U);
  EXPECT_EQ(tree.children.size(), 2U);  // a and b are equal, and so are the two below them
  EXPECT_EQ(must(decode_tree(encode(tree))), tree);
}

}  // namespace weir::store::test
