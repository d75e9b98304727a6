#include "core/snapshot/snapshot_file.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weir::snapshot {
namespace {

class ASnapshotFile : public ::testing::Test {
 protected:
  ASnapshotFile() {
    writer_.add(Section::question, "what?");
    writer_.add(Section::names, "abcdefgh");
    writer_.add(Section::order, bytes_of(numbers_));
    EXPECT_TRUE(writer_.write(path_));
  }
  TemporaryFolder folder_;
  std::string path_ = folder_ / "snapshot";
  std::vector<std::uint32_t> numbers_ = {1, 2, 3};
  Writer writer_;
};

TEST_F(ASnapshotFile, has_what_was_written) {
  const auto file = File::map(path_);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->bytes(Section::question), "what?");
  EXPECT_EQ(file->bytes(Section::paths), "");
  const auto numbers = file->table<std::uint32_t>(Section::order);
  ASSERT_TRUE(numbers);
  EXPECT_TRUE(std::equal(numbers->begin(), numbers->end(), numbers_.begin(), numbers_.end()));
  EXPECT_FALSE(file->table<std::uint32_t>(Section::question)) << "five bytes are no numbers";
}

TEST_F(ASnapshotFile, no_flipped_bit_is_believed) {
  const auto whole = folder_.read("snapshot");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto bytes = whole;
    bytes[i] ^= 4;
    folder_.write("snapshot", bytes);
    const auto file = File::map(path_);
    if (!file) continue;
    // Padding is nobody's; in a section it is noticed.
    const auto question = file->bytes(Section::question);
    const auto names = file->bytes(Section::names);
    EXPECT_TRUE(!question || *question == "what?") << i;
    EXPECT_TRUE(!names || *names == "abcdefgh") << i;
  }
}

TEST_F(ASnapshotFile, one_that_is_cut_is_none) {
  const auto whole = folder_.read("snapshot");
  for (const auto size :
       {std::size_t{0}, std::size_t{7}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    folder_.write("snapshot", whole.substr(0, size));
    EXPECT_FALSE(File::map(path_)) << size;
  }
}

TEST_F(ASnapshotFile, patches_change_it_for_whoever_maps_it_next) {
  const auto before = File::map(path_);
  ASSERT_TRUE(before->patch(path_, {{Section::names, 2, "XY"}}));
  EXPECT_EQ(before->bytes(Section::names), "abcdefgh");
  const auto after = File::map(path_);
  EXPECT_EQ(after->bytes(Section::names), "abXYefgh");
  ASSERT_TRUE(after->patch(path_, {{Section::names, 2, "ZZ"}, {Section::names, 7, "!"}}));
  const auto last = File::map(path_);
  EXPECT_EQ(last->bytes(Section::names), "abZZefg!");
  EXPECT_EQ(last->patches(), 2u) << "the newest for each place";
}

TEST_F(ASnapshotFile, patches_of_another_file_are_not_its) {
  ASSERT_TRUE(File::map(path_)->patch(path_, {{Section::names, 0, "X"}}));
  const auto patches = folder_.read("snapshot.delta");
  ASSERT_TRUE(writer_.write(path_));  // takes them away
  EXPECT_EQ(folder_.read("snapshot.delta"), "");
  folder_.write("snapshot.delta", patches);
  EXPECT_EQ(File::map(path_)->bytes(Section::names), "abcdefgh");
}

TEST_F(ASnapshotFile, patches_that_are_damaged_or_lead_outside_spoil_it) {
  ASSERT_TRUE(File::map(path_)->patch(path_, {{Section::names, 0, "X"}}));
  auto patches = folder_.read("snapshot.delta");
  for (std::size_t i = 0; i < patches.size(); ++i) {
    auto bytes = patches;
    bytes[i] ^= 1;
    folder_.write("snapshot.delta", bytes);
    EXPECT_FALSE(File::map(path_)) << i;
  }
  folder_.write("snapshot.delta", "");
  ASSERT_TRUE(File::map(path_)->patch(path_, {{Section::names, 7, "XX"}}));
  EXPECT_FALSE(File::map(path_));
}

TEST_F(ASnapshotFile, does_not_take_patches_without_end) {
  std::vector<Patch> many;
  for (std::uint64_t i = 0; i < 5000; ++i) many.push_back({Section::names, i, "x"});
  EXPECT_FALSE(File::map(path_)->patch(path_, many));
  EXPECT_TRUE(File::map(path_));
}

TEST(Hash128Of, differs_with_content) {
  EXPECT_EQ(hash_of("a"), hash_of("a"));
  EXPECT_NE(hash_of("a"), hash_of("b"));
  EXPECT_NE(hash_of(""), hash_of(std::string(1, '\0')));
}

}  // namespace
}  // namespace weir::snapshot
