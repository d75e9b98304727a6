#include "core/store/verify.h"

#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

class Damage : public StoreTest {
 protected:
  void damage(const Digest& digest, const std::string& content) {
    fs::permissions(object(digest), fs::perms::owner_all);
    write_file(object(digest), content);
  }
  Result<Stage> try_stage(const Digest& tree) {
    const Layer layer{tree, "it"};
    return store().stage({&layer, 1}, StageMode::read_only);
  }
};

}  // namespace

TEST_F(Damage, a_sound_store_is_clean) {
  commit_artifact("app", "content");
  const auto report = must(store().verify());
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.records, 1U);
  EXPECT_EQ(report.objects, 4U);  // file, directory, recipe, log
}

TEST_F(Damage, flipped_content_is_found_by_verify_and_becomes_a_miss) {
  const auto artifact = commit_artifact("app", "content");
  const auto untouched = commit_artifact("untouched", "other");
  damage(digest_of("content"), "CONTENT");  // the same size
  const auto report = must(store().verify());
  EXPECT_EQ(report.damaged, std::vector<std::string>{digest_of("content").hex()});
  EXPECT_EQ(report.broken, std::vector<Key>{artifact.key});
  EXPECT_FALSE(must(store().lookup(artifact.key)));
  EXPECT_TRUE(must(store().lookup(untouched.key)));
  EXPECT_TRUE(must(store().verify()).clean());
  commit_artifact("app", "content");  // built again
  EXPECT_EQ(must(store().read_blob(digest_of("content"))), "content");
}

TEST_F(Damage, a_wrong_size_is_noticed_when_it_is_staged) {
  const auto artifact = commit_artifact("app", "content");
  damage(digest_of("content"), "cont");
  const auto staged = try_stage(artifact.record.output);
  ASSERT_FALSE(staged);
  EXPECT_EQ(staged.error().reason, Reason::not_found);
  EXPECT_FALSE(must(store().lookup(artifact.key)));
}

TEST_F(Damage, wrong_bytes_are_never_read) {
  const auto artifact = commit_artifact("app", "content");
  damage(artifact.record.log, "LOG app");
  EXPECT_EQ(store().read_blob(artifact.record.log).error().reason, Reason::not_found);
  EXPECT_FALSE(fs::exists(object(artifact.record.log)));
  EXPECT_FALSE(must(store().lookup(artifact.key)));
}

TEST_F(Damage, a_staged_tree_with_a_damaged_inode_is_not_used_again) {
  const auto artifact = commit_artifact("app", "content");
  const auto before = stage(artifact.record.output);
  damage(digest_of("content"), "CONTENT");  // the staged file is the same inode
  EXPECT_FALSE(must(store().verify()).clean());
  commit_artifact("app", "content");
  const auto after = stage(artifact.record.output);
  EXPECT_NE(after.path(), before.path());
  EXPECT_EQ(read_file(fs::path(after.path()) / "file"), "content");
}

TEST_F(Damage, a_missing_object_breaks_its_record) {
  const auto artifact = commit_artifact("app", "content");
  fs::remove(object(digest_of("content")));
  EXPECT_EQ(must(store().verify()).broken, std::vector<Key>{artifact.key});
}

TEST_F(Damage, an_import_heals_a_truncated_object) {
  write_file(here() / "in/a", "content");
  const auto tree = must(store().import(here() / "in")).tree;
  damage(digest_of("content"), "");
  EXPECT_EQ(must(store().import(here() / "in")).tree, tree);
  EXPECT_EQ(must(store().read_blob(digest_of("content"))), "content");
}

}  // namespace weir::store::test
