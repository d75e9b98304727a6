// Remotes are found by the scheme of a URL, in a library that knows foo:, foos: and bars: .
#include <gtest/gtest.h>

#include "plugins/host/kinds.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

class RemoteKinds : public testing::Test {
 protected:
  RemoteKinds() {
    for (const auto* name : {"remote-foo.so", "remote-bar.so"})
      std::filesystem::copy_file(WEIR_TEST_PLUGINS "/remote-foo.so", folder / name);
  }
  std::string found(std::string_view scheme) {
    const auto kind = kinds.remote(scheme);
    return kind ? std::string((*kind)->name()) : to_text(kind.error());
  }

  TemporaryFolder folder;
  Kinds kinds{plugin_path({folder.path()}, {})};
};

TEST_F(RemoteKinds, are_found_by_their_name_or_that_with_an_s) {
  EXPECT_EQ(found("foo"), "foo");
  EXPECT_EQ(found("foos"), "foo");
  EXPECT_EQ(found("bars"), "bar");
}

TEST_F(RemoteKinds, a_scheme_that_the_kind_does_not_list_is_told) {
  EXPECT_EQ(found("bar"), "the remote kind bar knows no URLs with bar:; it knows bars");
  EXPECT_EQ(kinds.remote("bar").error().reason, Reason::not_found);
}

TEST_F(RemoteKinds, a_scheme_that_nobody_knows_is_told_as_it_was_written) {
  EXPECT_NE(found("fooss").find("unknown remote kind \"fooss\""), std::string::npos) << found("fooss");
  for (const auto* scheme : {"", "s", "..", "a+b"})
    EXPECT_EQ(kinds.remote(scheme).error().reason, Reason::not_found) << scheme;
}

TEST_F(RemoteKinds, a_library_that_cannot_be_used_is_told_also_for_the_longer_scheme) {
  folder.write("remote-baz.so", "no library");
  EXPECT_NE(found("bazs").find("is no shared library"), std::string::npos) << found("bazs");
}

TEST_F(RemoteKinds, the_refusal_of_an_address_is_the_users_affair) {
  struct Nobody final : RemoteListener {
    void ended(std::uint64_t, RemoteEnd) override {}
    void moved(std::uint64_t, std::uint64_t) override {}
  } nobody;
  const auto* kind = kinds.remote("foo").value();
  EXPECT_TRUE(kind->open({"foo://x", {}, {}}, nobody));
  const auto refused = kind->open({}, nobody);
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_text(refused.error()), "there is no URL; give it one");
}

}  // namespace
}  // namespace weir
