#include "core/remote/action_result.h"

#include "core/base/random.h"
#include "core/store/proto_wire.h"

namespace weir {
namespace {

SharedArtifact example() {
  return {store::digest_of("tree"), store::digest_of("recipe"), store::digest_of(""),
          R"({"cores":2,"cpu_us":5,"label":"app","peak_bytes":7,"wall_us":9})"};
}

TEST(ActionResult, survives_a_round_trip) {
  const auto read = decode_action_result(encode_action_result(example()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->tree, example().tree);
  EXPECT_EQ(read->recipe, example().recipe);
  EXPECT_EQ(read->log, example().log);
  EXPECT_EQ(read->facts, example().facts);
}

// As servers do it: metadata, fields of later versions, numbers of fixed width, another file.
TEST(ActionResult, what_a_server_adds_is_skipped) {
  auto bytes = encode_action_result(example());
  store::proto::put_number(bytes, 4, 1);
  store::proto::put_bytes(bytes, 9, "metadata");
  bytes += std::string("\xa1\x06", 2) + std::string(8, 'x');  // field 100, eight bytes
  bytes += std::string("\xa5\x06", 2) + std::string(4, 'x');
  std::string file;
  store::proto::put_bytes(file, 1, "other");
  store::proto::put_bytes(bytes, 2, file);
  const auto read = decode_action_result(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->tree, example().tree);
}

TEST(ActionResult, one_of_somebody_else_is_refused) {
  EXPECT_FALSE(decode_action_result(""));
  std::string directory, bytes;
  store::proto::put_bytes(directory, 1, "output");
  store::proto::put_bytes(bytes, 3, directory);  // without a digest
  EXPECT_FALSE(decode_action_result(bytes));
}

TEST(ActionResult, no_bytes_break_it) {
  Random random(7);
  const auto good = encode_action_result(example());
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = good.substr(0, random.below(good.size() + 1));
    for (std::uint64_t flips = random.below(4); flips > 0 && !bytes.empty(); --flips)
      bytes[random.below(bytes.size())] = static_cast<char>(random.next());
    if (const auto read = decode_action_result(bytes)) {
      store::ArtifactRecord record;
      apply_facts(read->facts, record);
    }
  }
}

TEST(Facts, survive_a_round_trip_and_do_without) {
  store::ArtifactRecord record;
  record.label = "a \"b\"";
  record.wall = std::chrono::milliseconds(1500);
  record.cpu = std::chrono::milliseconds(700);
  record.peak_bytes = std::uint64_t{5} << 33;
  record.cores = 4;
  store::ArtifactRecord read;
  apply_facts(facts_of(record), read);
  EXPECT_EQ(read.wall, record.wall);
  EXPECT_EQ(read.cpu, record.cpu);
  EXPECT_EQ(read.peak_bytes, record.peak_bytes);
  EXPECT_EQ(read.cores, record.cores);
  for (const auto* odd :
       {"", "[]", "{", R"({"cores":-1,"wall_us":1e99,"cpu_us":"x","peak_bytes":99999999999999999999999})"}) {
    store::ArtifactRecord other;
    apply_facts(odd, other);
    EXPECT_GE(other.wall.count(), 0);
  }
}

}  // namespace
}  // namespace weir
