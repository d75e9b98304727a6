#include "core/remote/shared_tree.h"

#include "core/store/tree_limits.h"

namespace weir {
namespace {

using store::digest_of;
using store::Directory;

store::DirectoryNode node(const std::string& name, Directory directory) {
  return {name, digest_of(store::encode(directory))};
}

TEST(SharedTree, children_come_before_their_parents_and_each_once) {
  Directory leaf{{{"f", digest_of("1"), true}}, {}, {}};
  Directory middle{{{"g", digest_of("2"), false}}, {node("a", leaf), node("b", leaf)}, {}};
  Directory root{{{"h", digest_of("1"), false}}, {node("m", middle), node("n", leaf)}, {{"link", "h"}}};
  store::Tree message{root, {middle, leaf, Directory{{{"unused", digest_of("9"), false}}, {}, {}}}};
  const auto tree = unpack_tree(store::encode(message));
  ASSERT_TRUE(tree) << tree.error().message;
  ASSERT_EQ(tree->directories.size(), 3u);
  EXPECT_EQ(tree->directories[0], leaf);
  EXPECT_EQ(tree->directories[1], middle);
  EXPECT_EQ(tree->directories[2], root);
  EXPECT_EQ(tree->root, digest_of(store::encode(root)));
  ASSERT_EQ(tree->files.size(), 2u);  // of what the root reaches
}

TEST(SharedTree, a_directory_that_is_not_in_it_is_an_error) {
  Directory leaf{{{"f", digest_of("1"), true}}, {}, {}};
  store::Tree message{Directory{{}, {node("a", leaf)}, {}}, {}};
  EXPECT_FALSE(unpack_tree(store::encode(message)));
  EXPECT_FALSE(unpack_tree("no tree"));
}

// The root is the last of `chain`.
store::Tree chain(std::size_t levels) {
  store::Tree message;
  Directory below;
  for (std::size_t depth = 1; depth < levels; ++depth) {
    Directory above{{}, {node("d", below)}, {}};
    message.children.push_back(std::move(below));
    below = std::move(above);
  }
  message.root = below;
  return message;
}

void expect_refused(store::Tree message, const std::string& limit) {
  const auto tree = unpack_tree(store::encode(message));
  ASSERT_FALSE(tree);
  EXPECT_NE(tree.error().message.find(limit), std::string::npos) << tree.error().message;
}

TEST(SharedTree, depth_costs_no_stack_and_has_a_limit) {
  auto deepest = chain(store::kMostLevels);
  const auto tree = unpack_tree(store::encode(deepest));
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(tree->directories.size(), store::kMostLevels);
  expect_refused(chain(store::kMostLevels + 1), "more than 2048 levels");
  expect_refused(chain(100'000), "more than 2048 levels");
}

TEST(SharedTree, a_tree_that_doubles_at_each_level_is_refused) {
  store::Tree message;
  Directory below{{{"f", digest_of("1"), true}}, {}, {}};
  for (int level = 0; level < 26; ++level) {
    Directory above{{}, {node("a", below), node("b", below)}, {}};
    message.children.push_back(std::move(below));
    below = std::move(above);
  }
  message.root = below;
  expect_refused(message, "more than 10000000 entries");
}

}  // namespace
}  // namespace weir
