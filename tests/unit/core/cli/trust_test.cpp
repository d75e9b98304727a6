#include "core/cli/trust.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weir::cli {
namespace {

class TrustedLibraries : public testing::Test {
 protected:
  TrustedLibraries() {
    folder_.write("element-x.so", "what was allowed");
    trust_.items.push_back(
        {"plugins.path", "element-x.so", *content_of_file(file()), file(), TrustStage::open, {}, {}});
  }
  std::string file() const { return folder_ / "element-x.so"; }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  TemporaryFolder folder_;
  ProjectTrust trust_;
};

TEST_F(TrustedLibraries, are_copies_that_no_change_of_the_file_reaches) {
  const auto open = trusted_libraries(trust_);
  const auto copy = open(file());
  ASSERT_TRUE(copy) << copy.error().message;
  std::ofstream(file(), std::ios::in) << "WHAT";  // in place: the inode is the same
  EXPECT_EQ(read(*copy), "what was allowed");
  std::ofstream(*copy, std::ios::in) << "WHAT";  // sealed
  EXPECT_EQ(read(*copy), "what was allowed");
}

TEST_F(TrustedLibraries, are_refused_once_they_changed_after_the_check) {
  const auto open = trusted_libraries(trust_);
  folder_.write("element-x.so", "something else");
  const auto copy = open(file());
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().reason, Reason::project);
  EXPECT_NE(copy.error().message.find("has changed since it was trusted"), std::string::npos);
  EXPECT_FALSE(open(folder_ / "element-y.so")) << "nobody allowed it";
}

// Two libraries at one path would be one for the loader of the system.
TEST_F(TrustedLibraries, each_has_a_path_of_its_own) {
  const auto open = trusted_libraries(trust_);
  EXPECT_NE(*open(file()), *open(file()));
}

TEST(EncodedTrust, holds_while_the_record_has_all_of_it_at_that_stage) {
  const TemporaryFolder state;
  ::setenv("XDG_STATE_HOME", state.path().c_str(), 1);
  ProjectTrust trust;
  trust.items.push_back({"plugins.path", "a.so", "1", "a.so", TrustStage::open, {}, {}});
  trust.items.push_back({"hooks.on-start", "true", "", "", TrustStage::run, {}, {}});
  const auto encoded = encode_trust(trust);
  const Settings none{};
  const auto holds = [&](TrustStage stage) { return still_trusts(encoded, state.path(), none, stage); };
  EXPECT_TRUE(still_trusts("", state.path(), none, TrustStage::run));
  EXPECT_FALSE(holds(TrustStage::open));
  const TrustRecords records(state / "weir/trust");
  TrustRecord record{state.path(), *owner_of(state.path()), "", {{"plugins.path", "a.so", "1"}}};
  ASSERT_TRUE(records.save(record));
  EXPECT_TRUE(holds(TrustStage::open));
  EXPECT_FALSE(holds(TrustStage::run));
  record.entries.push_back({"hooks.on-start", "true", ""});
  ASSERT_TRUE(records.save(record));
  EXPECT_TRUE(holds(TrustStage::run));
  record.entries[0].content = "2";
  ASSERT_TRUE(records.save(record));
  EXPECT_FALSE(holds(TrustStage::open));
  EXPECT_FALSE(still_trusts(encoded.substr(0, encoded.size() - 3), state.path(), none, TrustStage::run))
      << "it is cut off";
  ::unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace weir::cli
