#include "core/build/tree_edit.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

template <class T>
T must_have(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

class TreeEdit : public ::testing::Test {
 protected:
  TreeEdit() : store_(must_have(store::Store::open(folder_ / "store"))) {
    folder_.write("in/a/b/file", "text");
    folder_.write("in/top", "top");
    tree_ = must_have(store_->import(folder_ / "in")).tree;
  }
  std::string checked_out(const store::Digest& tree, const std::string& file) {
    const auto to = "out" + std::to_string(++outs_);
    EXPECT_TRUE(store_->checkout(tree, folder_ / to));
    return folder_.read(to + "/" + file);
  }
  TemporaryFolder folder_;
  std::unique_ptr<store::Store> store_;
  store::Digest tree_;
  int outs_ = 0;
};

TEST_F(TreeEdit, a_part_of_a_tree) {
  EXPECT_EQ(must_have(subtree(*store_, tree_, "")), tree_);
  EXPECT_EQ(must_have(subtree(*store_, tree_, "./")), tree_);
  EXPECT_EQ(checked_out(must_have(subtree(*store_, tree_, "a/b")), "file"), "text");
  EXPECT_EQ(checked_out(must_have(subtree(*store_, tree_, "/a//b/")), "file"), "text");
  EXPECT_EQ(checked_out(must_have(subtree(*store_, tree_, "a/b/file")), "file"), "text");
  for (const auto* missing : {"x", "a/x", "top/x", "a/b/file/x"})
    EXPECT_EQ(subtree(*store_, tree_, missing).error().reason, Reason::project) << missing;
}

TEST_F(TreeEdit, a_tree_at_a_path) {
  EXPECT_EQ(must_have(tree_at(*store_, tree_, "")), tree_);
  const auto placed = must_have(tree_at(*store_, tree_, "usr/share"));
  EXPECT_EQ(checked_out(placed, "usr/share/a/b/file"), "text");
  EXPECT_EQ(must_have(subtree(*store_, placed, "usr/share")), tree_);
  EXPECT_FALSE(tree_at(*store_, tree_, "a/../b"));
}

}  // namespace
}  // namespace weir
