#include "core/model/job_spec.h"

#include "core/base/random.h"

namespace weir {
namespace {

JobSpec full_spec() {
  JobSpec spec;
  spec.label = "app/build";
  spec.steps = {RunStep{{"cc", "-o", "a b", "", std::string("\0\xff", 2)},
                        "build/sub",
                        {{77, Failure::network}, {78, Failure::source}}},
                DownloadStep{"https://example.org/a.tar", "source/a.tar", "00ff", true},
                UnpackStep{"source/a.tar", "build", 1},
                CopyStep{"project/src", "build"},
                WriteStep{"build/x", "content\n", true},
                PullStep{"{\"recipe\":1}"},
                PushStep{"{\"recipe\":2}"}};
  spec.inputs = {{"d1", "/weir", MountMode::read_only, "lib"}, {"d2", "/weir", MountMode::private_copy, ""}};
  spec.outputs = {"install"};
  spec.environment = {{"CFLAGS", "-O2"}, {"PATH", "/usr/bin"}};
  spec.limits = {std::chrono::minutes(10), std::chrono::seconds(5), 4, 600 << 20};
  spec.sandbox = SandboxRoot::staged;
  spec.uid = 1000;
  spec.network = true;
  return spec;
}

TEST(JobSpec, survives_a_round_trip_through_its_bytes) {
  const auto spec = full_spec();
  const auto decoded = decode_job_spec(encode(spec));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, spec);
  EXPECT_EQ(encode(*decoded), encode(spec));
  const auto empty = decode_job_spec(encode(JobSpec{}));
  ASSERT_TRUE(empty);
  EXPECT_EQ(*empty, JobSpec{});
}

// Bytes of jobs without are part of keys: they stay what they were.
TEST(JobSpec, what_is_said_of_cores_is_kept_behind_all_else) {
  auto spec = full_spec();
  const auto without = encode(spec);
  spec.sharing = CoreSharing::fifo;
  spec.most_cores = 7;
  const auto bytes = encode(spec);
  EXPECT_EQ(bytes.size(), without.size() + 5);
  const auto decoded = decode_job_spec(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, spec);
  auto empty = bytes;
  empty.replace(without.size(), 5, 5, '\0');
  EXPECT_FALSE(decode_job_spec(empty)) << "it has shorter bytes";
}

TEST(JobSpec, user_namespaces_change_its_bytes_only_where_they_are_allowed) {
  const auto without = encode(JobSpec{});
  JobSpec spec;
  spec.user_namespaces = true;
  EXPECT_NE(encode(spec), without);
  EXPECT_EQ(decode_job_spec(encode(spec)).value(), spec);
  spec.sharing = CoreSharing::pipe;
  EXPECT_EQ(decode_job_spec(encode(spec)).value(), spec);
  spec.user_namespaces = false;
  EXPECT_EQ(decode_job_spec(encode(spec)).value(), spec);
}

TEST(JobSpec, every_truncation_is_refused) {
  auto spec = full_spec();
  for (const auto sharing : {CoreSharing::none, CoreSharing::affinity}) {
    spec.sharing = sharing;
    const auto bytes = encode(spec);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(decode_job_spec(std::string_view(bytes).substr(0, size))) << size;
    EXPECT_FALSE(decode_job_spec(bytes + '\0'));
  }
}

// Whatever decodes is canonical: encoding it gives the very same bytes, so two specs are equal when their
// bytes are.
TEST(JobSpec, damaged_bytes_are_refused_or_canonical) {
  const auto bytes = encode(full_spec());
  const std::uint64_t seed = 7;
  Random random(seed);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = bytes;
    for (auto flips = 1 + random.below(3); flips > 0; --flips)
      damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    const auto decoded = decode_job_spec(damaged);
    if (!decoded) {
      ++refused;
    } else {
      ASSERT_EQ(encode(*decoded), damaged) << "seed " << seed << " round " << round;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(JobSpec, another_version_is_refused_by_name) {
  auto bytes = encode(full_spec());
  bytes[12] = 9;  // magic: 4 + 8 bytes
  const auto decoded = decode_job_spec(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_NE(decoded.error().message.find("format 9"), std::string::npos) << decoded.error().message;
}

}  // namespace
}  // namespace weir
