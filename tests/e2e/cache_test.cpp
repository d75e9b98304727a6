// weir cache, on a store that the test fills.
#include <filesystem>
#include <fstream>

#include "core/store/store.h"
#include "tests/e2e/project_texts.h"
#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;
using store::Key;
using store::Store;

class Cache : public ::testing::Test {
 protected:
  std::string folder() const { return project_.cache() + "/store"; }

  // A record with one file of that content; on disk when this returns.
  Key commit(const std::string& name, const std::string& content) {
    auto store = Store::open(folder()).value();
    project_.file("made/" + name + "/file", content);
    store::ArtifactRecord record;
    record.output = store->import(project_.path() + "/made/" + name)->tree;
    record.recipe = store->put_blob("recipe of " + name).value();
    record.log = store->put_blob("log of " + name).value();
    record.label = name;
    const auto key = Key::of(name);
    EXPECT_TRUE(store->commit(key, record));
    store->flush();
    return key;
  }

  bool has(const Key& key) { return Store::open(folder()).value()->lookup(key).value().has_value(); }

  TempProject project_;
};

TEST_F(Cache, stat_counts_what_is_there_also_outside_of_a_project) {
  commit("a", "content of a");
  commit("b", "content of b");
  const auto text = weir(project_, {"cache", "stat"});
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_TRUE(says(text.out, "path     " + folder() + "\n")) << text.out;
  EXPECT_TRUE(says(text.out, "records  2\n")) << text.out;
  EXPECT_TRUE(says(text.out, "objects  8\n")) << text.out;  // tree, file, recipe and log of each
  const auto json = weir(project_, {"cache", "stat", "--json"});
  EXPECT_EQ(json.out.rfind("{\"v\":1,\"path\":\"" + folder() + "\",\"objects\":8,\"bytes\":", 0), 0u)
      << json.out;
  EXPECT_TRUE(says(json.out, R"("records":2,"aliases":0,"stages":0,"pins":0,"quota":0})")) << json.out;
}

TEST_F(Cache, looking_at_a_store_that_is_not_there_does_not_make_one) {
  for (const auto* action : {"stat", "gc", "verify"})
    EXPECT_EQ(weir(project_, {"cache", action}).exit, 0) << action;
  EXPECT_FALSE(fs::exists(project_.cache()));
}

TEST_F(Cache, gc_without_a_quota_removes_only_what_no_record_needs) {
  const auto key = commit("a", "content of a");
  Store::open(folder()).value()->put_blob("nobody needs this").value();
  const auto result = weir(project_, {"cache", "gc"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_TRUE(says(result.out, "removed 1 objects (17 B), 0 records")) << result.out;
  EXPECT_TRUE(has(key));
}

TEST_F(Cache, gc_removes_downloads_that_nobody_came_back_for) {
  const auto folder = project_.cache() + "/sources/downloads/";
  project_.file(".cache/sources/downloads/old", "x").file(".cache/sources/downloads/young", "x");
  fs::last_write_time(folder + "old", fs::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_EQ(weir(project_, {"cache", "gc"}).exit, 0);
  EXPECT_FALSE(fs::exists(folder + "old"));
  EXPECT_TRUE(fs::exists(folder + "young"));
}

TEST_F(Cache, gc_removes_files_that_a_killed_process_left_beside_their_place) {
  const auto names = {"host-tools.4194305", "snapshots/a-b.4194305", "remotes/c.4194305"};  // above every pid
  for (const auto* name : names) project_.file(std::string(".cache/") + name, "half");
  EXPECT_EQ(weir(project_, {"cache", "gc"}).exit, 0);
  for (const auto* name : names) EXPECT_FALSE(fs::exists(project_.cache() + "/" + name)) << name;
}

TEST_F(Cache, gc_by_quota_removes_the_least_recently_used) {
  const auto old = commit("old", std::string(100'000, 'o'));
  const auto fresh = commit("fresh", std::string(100'000, 'f'));
  const auto record = folder() + "/records/" + old.hex();
  fs::last_write_time(record, fs::last_write_time(record) - std::chrono::hours(48));
  const auto result = weir(project_, {"cache", "gc", "--quota", "150K", "--json"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_TRUE(says(result.out, R"("quota":153600,"removed":{"objects":4,)")) << result.out;
  EXPECT_TRUE(says(result.out, R"("records":1,)")) << result.out;
  EXPECT_FALSE(has(old));
  EXPECT_TRUE(has(fresh));
}

TEST_F(Cache, gc_takes_the_quota_of_the_settings) {
  const auto key = commit("a", std::string(100'000, 'a'));
  project_.file(".config/weir/config.toml", "[cache]\nquota = \"1K\"\n");
  EXPECT_EQ(weir(project_, {"cache", "gc", "--quota", "0"}).exit, 0);
  EXPECT_TRUE(has(key));
  EXPECT_EQ(weir(project_, {"cache", "gc"}).exit, 0);
  EXPECT_FALSE(has(key));
}

TEST_F(Cache, gc_leaves_what_a_running_build_holds_and_says_so) {
  const auto key = commit("a", std::string(100'000, 'a'));
  auto store = Store::open(folder()).value();
  const auto pin = store->pin("run");
  ASSERT_TRUE(pin && store->lookup(key).value());
  const auto result = weir(project_, {"cache", "gc", "--quota", "1K"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_TRUE(says(result.err, "held by running builds")) << result.err;
  EXPECT_TRUE(store->lookup(key).value());
}

TEST_F(Cache, verify_is_exit_0_when_clean_and_names_what_it_dropped_with_exit_1) {
  const auto good = commit("good", "good content");
  const auto bad = commit("bad", "bad content");
  EXPECT_EQ(weir(project_, {"cache", "verify"}).exit, 0);
  damage_object(project_, "bad content");
  const auto found = weir(project_, {"cache", "verify"});
  EXPECT_EQ(found.exit, 1) << found.err;
  EXPECT_TRUE(says(found.out, store::digest_of("bad content").hex())) << found.out;
  EXPECT_TRUE(says(found.out, bad.hex())) << found.out;
  EXPECT_FALSE(says(found.out, good.hex())) << found.out;
  EXPECT_TRUE(has(good));
  EXPECT_FALSE(has(bad));
  EXPECT_EQ(weir(project_, {"cache", "verify"}).exit, 0);
}

TEST_F(Cache, verify_as_json) {
  const auto key = commit("bad", "bad content");
  damage_object(project_, "bad content");
  const auto found = weir(project_, {"cache", "verify", "--json"});
  EXPECT_EQ(found.exit, 1);
  EXPECT_TRUE(says(found.out, "\"clean\":false")) << found.out;
  EXPECT_TRUE(says(found.out, "\"broken\":[\"" + key.hex() + "\"]")) << found.out;
}

TEST_F(Cache, rm_forgets_a_key_and_a_second_time_there_is_none) {
  const auto gone = commit("gone", "x"), kept = commit("kept", "y");
  const auto first = weir(project_, {"cache", "rm", gone.hex()});
  EXPECT_EQ(first.exit, 0) << first.err;
  EXPECT_EQ(first.out, "removed " + gone.hex() + "\n");
  EXPECT_FALSE(has(gone));
  EXPECT_TRUE(has(kept));
  const auto again = weir(project_, {"cache", "rm", gone.hex()});
  EXPECT_EQ(again.exit, 1);
  EXPECT_TRUE(says(again.err, gone.hex())) << again.err;
}

TEST_F(Cache, one_malformed_key_is_exit_2_and_nothing_is_removed) {
  const auto key = commit("a", "x");
  for (const auto& bad :
       {std::string("abc"), key.hex().substr(0, 63), std::string(64, 'z'), std::string("../x")}) {
    const auto result = weir(project_, {"cache", "rm", key.hex(), bad});
    EXPECT_EQ(result.exit, 2) << bad;
    EXPECT_TRUE(says(result.err, "64 digits")) << result.err;
  }
  EXPECT_TRUE(has(key));
}

TEST_F(Cache, bad_input_is_exit_2_with_what_to_do) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> all = {
      {{"cache"}, "verify"},
      {{"cache", "sta"}, "weir cache stat"},
      {{"cache", "gc", "--quota", "much"}, "20G"},
      {{"cache", "rm"}, "key"},
      {{"cache", "stat", "more"}, "too many"},
  };
  for (const auto& [arguments, said] : all) {
    const auto result = weir(project_, arguments);
    EXPECT_EQ(result.exit, 2) << said << result.err;
    EXPECT_TRUE(says(result.err, said)) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace weir::test
