#include "core/store/record.h"

#include <atomic>
#include <future>

#include "core/base/wire.h"
#include "core/store/file_tools.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

ArtifactRecord sample() {
  return {digest_of("out"),        digest_of("recipe"),     digest_of("log"), "app",
          std::chrono::seconds(3), std::chrono::seconds(5), 1 << 20,          4};
}

class Records : public StoreTest {};

}  // namespace

TEST(record, survives_its_bytes) {
  const auto own = Key::of("own");
  const auto bytes = encode(sample(), own);
  EXPECT_EQ(std::get<ArtifactRecord>(must(decode_record(bytes, own))), sample());
  EXPECT_EQ(encode(std::get<ArtifactRecord>(must(decode_record(bytes, own))), own), bytes);
  EXPECT_EQ(std::get<Key>(must(decode_record(encode_alias(own, Key::of("x")), own))), Key::of("x"));
}

TEST(record, under_its_other_name_is_an_alias_and_under_any_other_refused) {
  const auto own = Key::of("own"), alias = Key::of("alias"), other = Key::of("other");
  const auto bytes = encode(sample(), own, {}, alias);
  EXPECT_EQ(std::get<Key>(must(decode_record(bytes, alias))), own);
  EXPECT_EQ(std::get<ArtifactRecord>(must(decode_record(bytes, own))), sample());
  EXPECT_FALSE(decode_record(bytes, other));
  EXPECT_FALSE(decode_record(encode(sample(), own), other));
  EXPECT_FALSE(decode_record(encode_alias(alias, own), other));
}

TEST(record, may_hold_its_recipe) {
  const auto own = Key::of("recipe");
  const auto bytes = encode(sample(), own, "recipe");
  EXPECT_EQ(recipe_in(bytes), "recipe");
  EXPECT_FALSE(recipe_in(encode(sample(), own)));
  EXPECT_FALSE(recipe_in(encode_alias(Key::of("alias"), own)));
  EXPECT_FALSE(recipe_in("torn"));
  auto expected = sample();
  expected.recipe_inside = true;
  EXPECT_EQ(std::get<ArtifactRecord>(must(decode_record(bytes, own))), expected);
}

// It may lie under any name.
TEST(record, of_an_earlier_version_leads_nowhere) {
  wire::Writer out;
  out.text("weir-record");
  out.u32(1);
  for (const auto* text : {"out", "recipe", "log"}) {
    const auto digest = digest_of(text);
    out.text({reinterpret_cast<const char*>(digest.hash.data()), digest.hash.size()});
    out.u64(digest.size);
  }
  out.text("app");
  out.i64(Duration(std::chrono::seconds(3)).count());
  out.i64(Duration(std::chrono::seconds(5)).count());
  out.u64(1 << 20);
  out.u32(4);
  auto bytes = out.take();
  const auto seal = digest_of(bytes).hash;
  bytes.append(reinterpret_cast<const char*>(seal.data()), seal.size());
  EXPECT_EQ(std::get<Key>(must(decode_record(bytes, Key::of("any")))), Key{});
}

TEST(record, every_cut_and_every_flipped_bit_is_refused) {
  const auto own = Key::of("recipe");
  const auto good = encode(sample(), own, "recipe");
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(decode_record(good.substr(0, i), own));
    auto flipped = good;
    flipped[i] ^= 0x10;
    EXPECT_FALSE(decode_record(flipped, own)) << i;
  }
  EXPECT_FALSE(decode_record(good + "x", own));
}

TEST_F(Records, a_record_that_was_copied_over_another_is_a_miss) {
  const auto one = commit_artifact("one", "1"), other = commit_artifact("other", "2");
  must(must(store().alias(Key::of("alias"), one.key)).wait());
  const auto file = [&](const Key& key) { return here() / "store/records" / key.hex(); };
  const auto replace = fs::copy_options::overwrite_existing;
  fs::copy_file(file(other.key), file(one.key), replace);
  EXPECT_FALSE(must(store().lookup(one.key)));
  fs::copy_file(file(Key::of("alias")), file(other.key), replace);
  EXPECT_EQ(must(store().verify()).broken, std::vector<Key>{other.key});
  EXPECT_FALSE(must(store().lookup(other.key)));
}

TEST_F(Records, a_committed_record_is_found_again_by_another_process) {
  const auto artifact = commit_artifact("app", "content");
  reopen();
  const auto found = must(store().lookup(artifact.key));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->record, artifact.record);
  EXPECT_FALSE(must(store().lookup(Key::of("other"))));
}

TEST_F(Records, an_alias_leads_to_the_record) {
  const auto artifact = commit_artifact("app", "content");
  must(must(store().alias(Key::of("recipe key"), artifact.key)).wait());
  const auto found = must(store().lookup(Key::of("recipe key")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, artifact.key);
  EXPECT_EQ(found->record, artifact.record);
  EXPECT_TRUE(must(store().rm(artifact.key)));
  EXPECT_FALSE(must(store().lookup(Key::of("recipe key"))));
}

namespace {

ArtifactRecord record_with(Store& store, const std::string& recipe) {
  const auto nothing = must(store.put_directory({}));
  return {nothing, digest_of(recipe), must(store.put_blob("")), "app"};
}

}  // namespace

TEST_F(Records, a_recipe_that_is_kept_with_its_record_is_a_blob_like_others) {
  const std::string recipe = "{\"all\":\"of it\"}";
  const auto key = Key::of(recipe);
  must(must(store().commit(key, record_with(store(), recipe), {recipe, Key::of("alias")})).wait());
  reopen();
  EXPECT_TRUE(store().has(digest_of(recipe)));
  EXPECT_EQ(must(store().read_blob(digest_of(recipe))), recipe);
  const auto file = must(store().open_blob(digest_of(recipe)));
  EXPECT_EQ(must(read_all(file.get(), "reading it")), recipe);
  const auto found = must(store().lookup(Key::of("alias")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, key);
  EXPECT_TRUE(found->record.recipe_inside);
  EXPECT_TRUE(must(store().verify()).clean());
  must(store().gc({}));
  EXPECT_EQ(must(store().read_blob(digest_of(recipe))), recipe);
  EXPECT_TRUE(must(store().rm(key)));
  EXPECT_FALSE(must(store().lookup(Key::of("alias"))));
  EXPECT_EQ(must(store().read_blob(digest_of(recipe))), recipe)
      << "until a gc, as the rest of what a record named";
  must(store().gc({}));
  EXPECT_FALSE(store().has(digest_of(recipe)));
}

TEST_F(Records, recipes_that_are_kept_with_their_records_count_towards_the_quota) {
  for (const char letter : {'a', 'b', 'c'}) {
    const std::string recipe(100'000, letter);
    must(must(store().commit(Key::of(recipe), record_with(store(), recipe), {recipe, {}})).wait());
  }
  EXPECT_GE(must(store().stat()).bytes, 300'000U);
  GcRequest request;
  request.quota = 250'000;
  const auto report = must(store().gc(request));
  EXPECT_GE(report.records_removed, 1U);
  EXPECT_GE(report.bytes_removed, 100'000U);
  EXPECT_LE(report.bytes_left, 250'000U);
  EXPECT_LE(must(store().stat()).bytes, 250'000U);
}

TEST_F(Records, a_record_that_replaces_one_keeps_its_recipe) {
  const std::string recipe = "kept once";
  const auto key = Key::of(recipe);
  const auto record = record_with(store(), recipe);
  must(must(store().commit(key, record, {recipe, {}})).wait());
  must(must(store().commit(key, record)).wait());
  EXPECT_EQ(must(store().read_blob(digest_of(recipe))), recipe);
}

TEST_F(Records, an_alias_that_led_elsewhere_leads_to_the_new_record) {
  for (const std::string recipe : {"one", "two", "two"}) {
    must(must(store().commit(Key::of(recipe), record_with(store(), recipe), {recipe, Key::of("alias")}))
             .wait());
    EXPECT_EQ(must(store().lookup(Key::of("alias")))->key, Key::of(recipe));
  }
  EXPECT_EQ(must(store().stat()).records, 2U);
  EXPECT_EQ(must(store().stat()).aliases, 1U);
}

TEST_F(Records, an_alias_is_a_file_of_its_own_where_a_file_has_one_name) {
  struct OneName final : Filesystem {
    int link(int, const char*, int, const char*) override { return EMLINK; }
  };
  Options options;
  options.filesystem = std::make_shared<OneName>();
  reopen(options);
  must(must(store().commit(Key::of("one"), record_with(store(), "one"), {"one", Key::of("alias")})).wait());
  reopen();
  EXPECT_EQ(must(store().lookup(Key::of("alias")))->key, Key::of("one"));
}

TEST_F(Records, a_commit_needs_its_objects) {
  const auto refused = store().commit(Key::of("app"), sample());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, Reason::not_found);
}

TEST_F(Records, many_commits_share_a_sync) {
  struct Counting final : Filesystem {
    int sync(int directory) override {
      ++syncs;
      if (slow) all_submitted.get_future().wait();
      slow = false;
      return Filesystem::sync(directory);
    }
    std::atomic<int> syncs{0};
    std::atomic<bool> slow{false};  // the first sync lasts until all commits are submitted
    std::promise<void> all_submitted;
  };
  const auto files = std::make_shared<Counting>();
  Options options;
  options.filesystem = files;
  reopen(options);
  const auto blob = must(store().put_blob(""));
  files->syncs = 0;
  files->slow = true;
  std::vector<Ticket> tickets;
  for (int i = 0; i < 500; ++i)
    tickets.push_back(must(store().commit(Key::of(std::to_string(i)), {blob, blob, blob, "x"})));
  files->all_submitted.set_value();
  for (const auto& ticket : tickets) must(ticket.wait());
  EXPECT_LE(files->syncs, 3);
  EXPECT_EQ(must(store().stat()).records, 500U);
}

TEST_F(Records, a_ticket_calls_back_once_it_is_durable) {
  const auto blob = must(store().put_blob(""));
  std::promise<bool> durable;
  const auto ticket = must(store().commit(Key::of("x"), {blob, blob, blob, "x"}));
  ticket.on_done([&](const Status& status) { durable.set_value(status.has_value()); });
  EXPECT_TRUE(durable.get_future().get());
  EXPECT_TRUE(ticket.done());
  bool late = false;
  ticket.on_done([&](const Status&) { late = true; });
  EXPECT_TRUE(late);
}

TEST_F(Records, a_failed_sync_fails_the_ticket_and_shows_no_record) {
  struct Failing final : Filesystem {
    int sync(int directory) override { return fail ? EIO : Filesystem::sync(directory); }
    std::atomic<bool> fail{false};
  };
  const auto files = std::make_shared<Failing>();
  Options options;
  options.filesystem = files;
  reopen(options);
  const auto blob = must(store().put_blob(""));
  files->fail = true;
  EXPECT_FALSE(must(store().commit(Key::of("x"), {blob, blob, blob, "x"})).wait());
  EXPECT_FALSE(must(store().lookup(Key::of("x"))));
}

TEST_F(Records, a_damaged_record_is_a_miss) {
  const auto artifact = commit_artifact("app", "content");
  write_file(here() / "store/records" / artifact.key.hex(), "torn");
  EXPECT_FALSE(must(store().lookup(artifact.key)));
}

TEST_F(Records, a_newer_format_is_refused_in_words) {
  write_file(here() / "newer/format", "weir-store 7\n");
  const auto refused = Store::open(here() / "newer");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("format 7"), std::string::npos);
  EXPECT_FALSE(refused.error().remedy.empty());
}

TEST_F(Records, a_directory_with_other_things_is_not_made_a_store) {
  write_file(here() / "home/thesis.txt", "x");
  EXPECT_EQ(Store::open(here() / "home").error().reason, Reason::usage);
}

}  // namespace weir::store::test
