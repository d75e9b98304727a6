#include "plugins/sources/git_refs.h"

#include <weir/barrier.hpp>

namespace weir::kinds {
namespace {

constexpr std::string_view kRefs =
    "aaa\tHEAD\n"
    "aaa\trefs/heads/main\n"
    "bbb\trefs/heads/release/2\n"
    "ccc\trefs/heads/--upload-pack=touch x\n"
    "111\trefs/tags/v1.9\n"
    "222\trefs/tags/v1.10\n"
    "221\trefs/tags/v1.10^{}\n"
    "333\trefs/tags/v1.11-rc1\n"
    "444\trefs/tags/main\n"
    "555\trefs/pull/7/head\n"
    "a line without a tab\n";

std::string found(std::string_view track, std::string_view refs = kRefs) {
  try {
    return find_git_ref(refs, track);
  } catch (const sdk::Refused& refused) {
    return "none: " + refused.message + "; " + refused.remedy;
  }
}

TEST(GitRefs, a_branch_comes_before_a_tag_and_a_tag_means_its_commit) {
  EXPECT_EQ(found(""), "aaa");
  EXPECT_EQ(found("main"), "aaa");
  EXPECT_EQ(found("release/2"), "bbb");
  EXPECT_EQ(found("v1.10"), "221");
  EXPECT_EQ(found("refs/tags/main"), "444");
  EXPECT_EQ(found("refs/pull/7/head"), "555");
}

TEST(GitRefs, a_pattern_gives_the_highest_version) {
  EXPECT_EQ(found("v1.*"), "333");
  EXPECT_EQ(found("v1.1[0-9]"), "221");
  EXPECT_EQ(found("release/*"), "bbb") << "branches, where no tag fits";
}

TEST(GitRefs, a_name_that_looks_like_an_option_is_a_name) {
  EXPECT_EQ(found("--upload-pack=touch x"), "ccc");
}

TEST(GitRefs, what_is_not_there_is_told_with_what_is) {
  EXPECT_EQ(found("mian"), "none: the remote has no branch or tag \"mian\"; did you mean \"main\"?");
  EXPECT_EQ(found("v2*"),
            "none: the remote has no branch or tag \"v2*\"; it has 7 branches and tags, "
            "\"--upload-pack=touch x\" among them");
  EXPECT_EQ(found("main", ""), "none: the remote has no branch or tag \"main\"; it is empty");
}

TEST(GitRefs, versions_are_in_order) {
  const std::string_view sorted[] = {"1.0-rc1", "1.0-rc2",  "1.0", "1.0.1", "1.2",
                                     "1.10",    "2.0~beta", "2.0", "10"};
  for (std::size_t i = 0; i < std::size(sorted); ++i)
    for (std::size_t j = 0; j < std::size(sorted); ++j)
      EXPECT_EQ(version_less(sorted[i], sorted[j]), i < j) << sorted[i] << " " << sorted[j];
}

}  // namespace
}  // namespace weir::kinds
