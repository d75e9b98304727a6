// Trees that are larger than they look: each level names the next one twice, so a few kilobytes stand for 2^n
// files. They are refused by arithmetic over their distinct directories, never by walking their paths.
#include "core/store/tree_limits.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/base/interruption.h"
#include "core/store/tree_reader.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {
namespace {

template <class T>
Error error_of(const Result<T>& result) {
  return result ? Error{Reason::bug, "there is no error", {}} : result.error();
}

class TreeLimits : public StoreTest {
 protected:
  Digest put(Directory directory) { return must(store().put_directory(std::move(directory))); }
  Digest leaf(const std::string& content, std::size_t files = 1) {
    Directory directory;
    const auto blob = must(store().put_blob(content));
    for (std::size_t i = 0; i < files; ++i) directory.files.push_back({"f" + std::to_string(i), blob, false});
    return put(std::move(directory));
  }
  Digest doubled(Digest below, int levels) {
    for (int i = 0; i < levels; ++i) below = put({{}, {{"a", below}, {"b", below}}, {}});
    return below;
  }
  Digest chain(Digest below, std::size_t levels, const std::string& name = "d") {
    for (std::size_t i = 0; i < levels; ++i) below = put({{}, {{name, below}}, {}});
    return below;
  }
  void expect_refused(const Digest& tree, const std::string& limit) {
    const Layer layer{tree, "in"};
    const auto out = (here() / ("out" + std::to_string(++outs_))).string();
    const Error errors[] = {error_of(store().checkout(tree, out)), error_of(store().read_tree(tree)),
                            error_of(store().stage({&layer, 1}, StageMode::read_only))};
    for (const auto& error : errors) {
      EXPECT_EQ(error.reason, Reason::resources);
      EXPECT_NE(error.message.find(limit), std::string::npos) << error.message;
    }
    EXPECT_TRUE(!std::filesystem::exists(out) || std::filesystem::is_empty(out)) << "nothing was written";
  }
  int outs_ = 0;
};

TEST_F(TreeLimits, a_tree_that_doubles_26_times_is_refused_before_anything_is_written) {
  expect_refused(doubled(leaf("x"), 26), "more than 10000000 entries");
}

TEST_F(TreeLimits, sums_that_do_not_fit_into_64_bits_are_refused_too) {
  expect_refused(doubled(leaf("x"), 200), "more than 10000000 entries");
}

TEST_F(TreeLimits, what_doubles_a_few_times_is_whole) {
  const auto tree = doubled(leaf("x"), 4);
  const auto out = (here() / "out").string();
  must(store().checkout(tree, out));
  EXPECT_EQ(must(store().import(out)).files, 16U);
  EXPECT_EQ(must(store().import(out)).tree, tree);
}

TEST_F(TreeLimits, levels) {
  const auto deepest = chain(leaf("x"), kMostLevels - 1);
  EXPECT_EQ(must(store().read_tree(deepest)).children.size(), kMostLevels - 1);
  expect_refused(chain(deepest, 1), "more than 2048 levels");
}

TEST_F(TreeLimits, bytes_of_all_files) {
  // Sixteen names of one file in 2^19 folders: the store has it once.
  const auto content = std::string(129 * 1024, 'x');
  expect_refused(doubled(leaf(content, 16), 19), "more than 1 TiB of files");
}

TEST_F(TreeLimits, paths_of_folders) {
  // Each of 2^12 folders has a path of 250 kB.
  const auto bottom = doubled(leaf("x"), 12);
  expect_refused(chain(bottom, 1000, std::string(250, 'n')), "more than 1 GiB of paths");
}

// Sparse: they would be read for hours.
TEST_F(TreeLimits, an_output_with_more_bytes_than_a_tree_may_have_is_refused_before_it_is_read) {
  for (const auto* name : {"out/a", "out/sub/b"}) {
    write_file(here() / name, "");
    std::filesystem::resize_file(here() / name, (std::uint64_t{1} << 39) + 1);
  }
  for (const auto& refused : {store().collect(here() / "out"), store().import(here() / "out")}) {
    const auto error = error_of(refused);
    EXPECT_EQ(error.reason, Reason::project);
    EXPECT_NE(error.message.find("more than 1 TiB of files"), std::string::npos) << error.message;
  }
  std::filesystem::resize_file(here() / "out/a", 1);
  std::filesystem::resize_file(here() / "out/sub/b", 1);
  EXPECT_TRUE(store().collect(here() / "out"));
}

// 1000 levels with names of 250 bytes, and 4500 folders below them: before there are paths of them.
TEST_F(TreeLimits, an_output_with_longer_paths_than_a_tree_may_have_is_refused) {
  const std::string name(250, 'n');
  std::filesystem::create_directory(here() / "out");
  UniqueFd at(::open((here() / "out").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0755), 0);
    at = UniqueFd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  for (int i = 0; i < 4500; ++i) ASSERT_EQ(::mkdirat(at.get(), std::to_string(i).c_str(), 0755), 0);
  const auto error = error_of(store().collect(here() / "out"));
  EXPECT_EQ(error.reason, Reason::project);
  EXPECT_NE(error.message.find("more than 1 GiB of paths"), std::string::npos) << error.message;
}

// As deep as a tree may be: the folder itself is a level.
TEST_F(TreeLimits, levels_of_an_output_are_those_of_its_tree) {
  const auto collect_levels = [&](std::uint64_t levels) {
    const auto out = here() / ("deep" + std::to_string(levels));
    std::filesystem::create_directory(out);
    UniqueFd at(::open(out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (std::uint64_t i = 1; i < levels; ++i) {
      EXPECT_EQ(::mkdirat(at.get(), "d", 0755), 0);
      at = UniqueFd(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    return store().collect(out);
  };
  const auto deepest = collect_levels(kMostLevels);
  ASSERT_TRUE(deepest) << error_of(deepest).message;
  EXPECT_TRUE(store().read_tree(deepest->tree));
  EXPECT_NE(error_of(collect_levels(kMostLevels + 1)).message.find("more than 2048 levels"),
            std::string::npos);
}

// The work is counted by what is written: each distinct pair of directories is merged once, whatever number
// of paths it has.
TEST_F(TreeLimits, merging_is_linear_in_distinct_directories) {
  const auto one = doubled(leaf("1"), 20);
  const auto other =
      put({{{"only-here", must(store().put_blob("2")), false}}, {{"a", doubled(leaf("1"), 19)}}, {}});
  auto below = put({{{"g", must(store().put_blob("3")), false}}, {}, {}});
  const auto third = doubled(below, 20);
  const Layer layers[] = {{one, "one"}, {other, "other"}, {third, "third"}};
  const auto before = must(store().stat()).objects;
  const auto merged = must(store().merge(layers));
  EXPECT_LE(must(store().stat()).objects - before, 64U);
  expect_refused(doubled(merged, 10), "more than 10000000 entries");
}

TEST_F(TreeLimits, an_interruption_ends_a_check_and_drops_nothing) {
  const auto large = must(store().put_blob(std::string(std::size_t{2} << 20, 'x')));
  const auto tree = put({{{"large", large, true}}, {}, {}});
  const Layer layer{tree, "in"};
  interrupt();
  EXPECT_EQ(error_of(store().checkout(tree, here() / "out")).reason, Reason::cancelled);
  EXPECT_EQ(error_of(store().stage({&layer, 1}, StageMode::read_only)).reason, Reason::cancelled);
  EXPECT_EQ(error_of(store().verify_trees({&tree, 1})).reason, Reason::cancelled);
  EXPECT_FALSE(store().open_blob(large));
  forget_interruption();
  EXPECT_FALSE(store().has_met_damage());
  EXPECT_TRUE(must(store().verify()).clean());
  must(store().stage({&layer, 1}, StageMode::read_only));
}

// Of the bytes that a remote sends.
TEST(DirectoryLimits, names_and_links) {
  const auto encoded = [](std::size_t name, std::size_t link) {
    Directory directory;
    directory.symlinks.push_back({std::string(name, 'n'), std::string(link, 'l')});
    return encode(directory);
  };
  EXPECT_TRUE(decode_directory(encoded(255, 4095)));
  // Longer ones are not written by this encoder, so the length is changed in the bytes.
  const auto longer = [](std::string bytes, std::size_t name, std::size_t link) {
    const auto varint = [](std::size_t value) {
      return std::string{static_cast<char>(value % 128 + 128), static_cast<char>(value / 128)};
    };
    const auto node =
        "\x0a" + varint(name) + std::string(name, 'n') + "\x12" + varint(link) + std::string(link, 'l');
    bytes = "\x1a" + varint(node.size()) + node;
    return decode_directory(bytes);
  };
  EXPECT_TRUE(longer({}, 255, 4095));
  EXPECT_FALSE(longer({}, 256, 4095));
  EXPECT_FALSE(longer({}, 255, 4096));
}

}  // namespace
}  // namespace weir::store::test
