#include "core/store/record.h"

#include <atomic>
#include <future>

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
  const auto bytes = encode(sample());
  EXPECT_EQ(std::get<ArtifactRecord>(must(decode_record(bytes))), sample());
  EXPECT_EQ(encode(std::get<ArtifactRecord>(must(decode_record(bytes)))), bytes);
  EXPECT_EQ(std::get<Key>(must(decode_record(encode_alias(Key::of("x"))))), Key::of("x"));
}

TEST(record, every_cut_and_every_flipped_bit_is_refused) {
  const auto good = encode(sample());
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(decode_record(good.substr(0, i)));
    auto flipped = good;
    flipped[i] ^= 0x10;
    EXPECT_FALSE(decode_record(flipped)) << i;
  }
  EXPECT_FALSE(decode_record(good + "x"));
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
