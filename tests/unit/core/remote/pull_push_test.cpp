// Artifacts to a remote and back, from remotes that are good and from those that lie.
#include "core/remote/pull.h"
#include "core/remote/push.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/core/remote/memory_remote.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir {
namespace {

using store::test::must;
using store::test::write_file;

const std::string kRecipe =
    R"({"config":{"a":1},"dependencies":[{"name":"lib","recipe":"00ff"}],"kind":"make"})";
const std::string kResolved =
    R"({"config":{"a":1},"dependencies":[{"name":"lib","output":"1234/5"}],"kind":"make"})";

class Sharing : public testing::Test {
 protected:
  Sharing() {
    write_file(std::filesystem::path(folder_.path()) / "in/bin/tool", "#!/bin/sh\n", true);
    write_file(std::filesystem::path(folder_.path()) / "in/share/a", "a");
    write_file(std::filesystem::path(folder_.path()) / "in/share/deep/empty", "");
    std::filesystem::create_directories(std::filesystem::path(folder_.path()) / "in/hollow");
    std::filesystem::create_symlink("tool", std::filesystem::path(folder_.path()) / "in/bin/link");
    record_.output = must(first_->import(std::filesystem::path(folder_.path()) / "in")).tree;
    record_.recipe = must(first_->put_blob(kResolved));
    record_.log = must(first_->put_blob("log\n"));
    record_.wall = std::chrono::seconds(3);
    line_ = open_line(remote_);
  }

  std::unique_ptr<store::Store> open_store(const char* name) {
    return must(store::Store::open((std::filesystem::path(folder_.path()) / name).string()));
  }
  std::unique_ptr<RemoteLine> open_line(MemoryRemote& remote) {
    RemoteLine::Options options;
    options.shown = "memory:" + std::to_string(++lines_);
    options.backoff.delay = std::chrono::microseconds(10);
    options.tell = [this](const RemoteLine::News& news) { told_.push_back(news); };
    auto line = std::make_unique<RemoteLine>(
        clock_, options,
        std::make_unique<RemoteNotes>(
            (std::filesystem::path(folder_.path()) / "notes" / options.shown).string(), [] { return 1000; }));
    must(line->open(remote, {}));
    return line;
  }

  Pushed push() { return push_artifact(*first_, *line_, kRecipe, record_, {stop_.get_token(), gate_}); }
  Pulled pull(store::Store& store, std::vector<RemoteLine*> lines = {}) {
    if (lines.empty()) lines = {line_.get()};
    return pull_artifact(store, lines, kRecipe, {stop_.get_token(), gate_});
  }
  void expect_same(store::Store& store, const Pulled& pulled) {
    ASSERT_EQ(pulled.what, Pulled::What::pulled) << pulled.reason;
    EXPECT_EQ(pulled.record.output, record_.output);
    EXPECT_EQ(pulled.record.recipe, record_.recipe);
    EXPECT_EQ(pulled.record.log, record_.log);
    EXPECT_EQ(pulled.record.wall, record_.wall);
    const auto there = (std::filesystem::path(folder_.path()) / ("out" + std::to_string(++outs_))).string();
    must(store.checkout(pulled.record.output, there));
    EXPECT_EQ(must(store.import(there)).tree, record_.output);
  }
  // A run with an empty store meets what is wrong; the next push mends it, and a third store gets it all.
  void expect_mended(const char* said) {
    const auto second = open_store("second");
    const auto pulled = pull(*second);
    EXPECT_EQ(pulled.what, Pulled::What::missing);
    ASSERT_EQ(told_.size(), 1u);
    EXPECT_NE(told_.front().reason.find(said), std::string::npos) << told_.front().reason;
    EXPECT_TRUE(must(second->verify()).clean());
    EXPECT_EQ(pull(*second).what, Pulled::What::missing);
    EXPECT_EQ(told_.size(), 1u) << "it is said once";
    EXPECT_EQ(push().what, Pushed::What::pushed);
    const auto third = open_store("third");
    expect_same(*third, pull(*third));
  }
  std::string hash(std::string_view content) const { return store::digest_of(content).hex(); }

  TemporaryFolder folder_;
  SteadyClock clock_;
  MemoryRemote remote_;
  std::unique_ptr<store::Store> first_ = open_store("first");
  store::ArtifactRecord record_;
  std::vector<RemoteLine::News> told_;
  std::unique_ptr<RemoteLine> line_;
  std::stop_source stop_;
  Gate gate_;
  int lines_ = 0, outs_ = 0;
};

TEST_F(Sharing, an_artifact_comes_back_as_it_was) {
  EXPECT_EQ(push().what, Pushed::What::pushed);
  const auto second = open_store("second");
  expect_same(*second, pull(*second));
  EXPECT_TRUE(must(second->verify()).clean());
  EXPECT_TRUE(told_.empty());
}

TEST_F(Sharing, a_damaged_object_is_not_pushed_under_its_name) {
  const auto hex = hash("a");
  const auto object =
      std::filesystem::path(folder_.path()) / "first/objects" / hex.substr(0, 2) / hex.substr(2);
  const auto mtime = std::filesystem::last_write_time(object);
  write_file(object, "b");
  std::filesystem::last_write_time(object, mtime);
  EXPECT_EQ(push().what, Pushed::What::trouble);
  EXPECT_EQ(remote_.state.blobs.count(hex), 0u);
  EXPECT_TRUE(remote_.state.records.empty());
}

// Of a remote that verifies what it stores, as `dir` does.
class SharingLarge : public Sharing {
 protected:
  SharingLarge() {
    write_file(std::filesystem::path(folder_.path()) / "in/large", content_);
    record_.output = must(first_->import(std::filesystem::path(folder_.path()) / "in")).tree;
    remote_.state.verifies = true;
    line_ = open_line(remote_);
  }
  void damage() {
    const auto hex = hash(content_);
    const auto object =
        std::filesystem::path(folder_.path()) / "first/objects" / hex.substr(0, 2) / hex.substr(2);
    const auto mtime = std::filesystem::last_write_time(object);
    auto other = content_;
    other.back() = 'y';
    write_file(object, other);
    std::filesystem::last_write_time(object, mtime);
  }
  const std::string content_ = std::string(store::Checksums::kLarge, 'x');
};

TEST_F(SharingLarge, objects_are_verified_by_the_remote) {
  EXPECT_EQ(push().what, Pushed::What::pushed);
  EXPECT_EQ(remote_.state.mismatches, 0);
  EXPECT_EQ(remote_.state.with_checksum, 1);
  const auto second = open_store("second");
  expect_same(*second, pull(*second));
}

TEST_F(SharingLarge, a_damaged_object_is_not_pushed_under_its_name) {
  damage();
  EXPECT_EQ(push().what, Pushed::What::trouble);
  EXPECT_EQ(remote_.state.mismatches, 1);
  EXPECT_EQ(remote_.state.blobs.count(hash(content_)), 0u);
  EXPECT_TRUE(remote_.state.records.empty());
  EXPECT_TRUE(first_->has_met_damage());
}

TEST_F(SharingLarge, a_remote_that_finds_a_mismatch_where_there_is_none_gets_the_object) {
  remote_.state.finds_mismatches = true;
  EXPECT_EQ(push().what, Pushed::What::pushed);
  EXPECT_EQ(remote_.state.mismatches, 1);
  EXPECT_EQ(remote_.state.blobs.at(hash(content_)), content_);
}

TEST_F(Sharing, only_what_is_missing_is_moved) {
  EXPECT_EQ(push().what, Pushed::What::pushed);
  EXPECT_EQ(push().what, Pushed::What::had_it);
  remote_.state.records.clear();
  const auto puts = remote_.state.counts["put"];
  EXPECT_EQ(push().what, Pushed::What::pushed);
  EXPECT_EQ(remote_.state.counts["put"], puts) << "only the record was missing";
  remote_.state.counts.clear();
  const auto again = pull(*first_);
  EXPECT_EQ(again.what, Pulled::What::pulled);
  EXPECT_EQ(remote_.state.counts["get"], 1) << "the tree: all else is in the store";
}

TEST_F(Sharing, what_nobody_has_is_a_miss) {
  EXPECT_EQ(pull(*first_).what, Pulled::What::missing);
  EXPECT_TRUE(told_.empty());
}

TEST_F(Sharing, the_second_remote_is_asked_for_what_the_first_has_not) {
  MemoryRemote empty;
  const auto other = open_line(empty);
  EXPECT_EQ(push().what, Pushed::What::pushed);
  const auto second = open_store("second");
  const auto pulled = pull(*second, {other.get(), line_.get()});
  expect_same(*second, pulled);
  EXPECT_EQ(pulled.remote, line_->shown());
}

TEST_F(Sharing, a_blob_that_is_another_is_a_miss_and_replaced) {
  push();
  remote_.state.blobs[hash("a")] = "b";
  expect_mended("a blob is not what its name says");
}
TEST_F(Sharing, a_blob_that_is_cut_short_is_a_miss_and_replaced) {
  push();
  remote_.state.blobs[hash("#!/bin/sh\n")] = "#!/bin";
  expect_mended("a blob is not what its name says");
}
TEST_F(Sharing, a_blob_that_is_gone_is_a_miss_and_replaced) {
  push();
  remote_.state.blobs.erase(hash("log\n"));
  expect_mended("names a blob that is not there");
}
TEST_F(Sharing, a_record_that_is_none_is_a_miss_and_replaced) {
  push();
  for (auto& [key, record] : remote_.state.records) record = "no record";
  expect_mended("the record is");
}
TEST_F(Sharing, a_record_of_something_else_is_a_miss_and_replaced) {
  push();
  // Everything in it is there and whole: only the recipe tells that it is not what was asked for.
  const auto other =
      std::string(R"({"config":{"a":2},"dependencies":[{"name":"lib","output":"1234/5"}],"kind":"make"})");
  auto record = record_;
  record.recipe = must(first_->put_blob(other));
  remote_.state.records.clear();
  EXPECT_EQ(push_artifact(*first_, *line_, kRecipe, record, {stop_.get_token(), gate_}).what,
            Pushed::What::pushed);
  expect_mended("a record is of something else");
}
TEST_F(Sharing, a_tree_that_is_damaged_is_a_miss_and_replaced) {
  push();
  for (auto& [name, bytes] : remote_.state.blobs)
    if (name != store::digest_of(bytes).hex()) FAIL();
  for (auto& [name, bytes] : remote_.state.blobs)
    if (bytes.find("hollow") != bytes.npos) bytes[bytes.find("hollow")] = 'H';
  expect_mended("the tree of an artifact is damaged");
}

TEST_F(Sharing, trouble_is_tried_again) {
  remote_.state.fail_next = 2;
  EXPECT_EQ(push().what, Pushed::What::pushed);
  const auto second = open_store("second");
  remote_.state.fail_next = 2;
  expect_same(*second, pull(*second));
  EXPECT_TRUE(told_.empty());
}

TEST_F(Sharing, who_always_fails_is_given_up_and_told_of_once) {
  remote_.state.fail_next = 1'000'000;
  EXPECT_EQ(push().what, Pushed::What::trouble);
  EXPECT_EQ(pull(*first_).what, Pulled::What::trouble);
  EXPECT_EQ(push().what, Pushed::What::trouble);
  EXPECT_LE(std::count_if(told_.begin(), told_.end(), [](const auto& news) { return news.first; }), 1);
}

TEST_F(Sharing, what_may_only_be_read_is_still_read) {
  EXPECT_EQ(push().what, Pushed::What::pushed);
  remote_.state.records.clear();
  remote_.state.refused = {"put", "put-record"};
  const auto refused = push();
  EXPECT_EQ(refused.what, Pushed::What::trouble);
  EXPECT_EQ(refused.reason, "not for you");
  EXPECT_FALSE(line_->usable(RemoteLine::Direction::write));
  EXPECT_TRUE(line_->usable(RemoteLine::Direction::read));
  EXPECT_EQ(pull(*first_).what, Pulled::What::missing);
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_EQ(told_.front().state, RemoteLine::State::read_only);
}

TEST_F(Sharing, a_stop_ends_it) {
  stop_.request_stop();
  EXPECT_EQ(pull(*first_).what, Pulled::What::cancelled);
  EXPECT_EQ(push().what, Pushed::What::cancelled);
}

TEST(SameRecipe, differs_in_the_digests_of_dependencies_alone) {
  EXPECT_TRUE(is_same_recipe(kRecipe, kResolved));
  for (const auto* other :
       {"", "{}", "[]", R"({"config":{"a":1},"dependencies":[],"kind":"make"})",
        R"({"config":{"a":1},"dependencies":[{"name":"other","output":"1234/5"}],"kind":"make"})",
        R"({"config":{"a":1},"dependencies":[{"name":"lib","output":"1234/5"}],"kind":"cmake"})",
        R"({"config":{"a":1},"dependencies":[{"name":"lib","output":"1234/5"}],"kind":"make","more":1})"})
    EXPECT_FALSE(is_same_recipe(kRecipe, other)) << other;
}

}  // namespace
}  // namespace weir
