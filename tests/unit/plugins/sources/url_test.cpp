#include "plugins/sources/url.h"

namespace weir::kinds {
namespace {

TEST(Url, schemes) {
  EXPECT_EQ(scheme_of("https://a/b"), "https");
  EXPECT_EQ(scheme_of("file:a"), "file");
  EXPECT_EQ(scheme_of("git@host:a/b"), "");
  EXPECT_EQ(scheme_of("host:a"), "");
  EXPECT_EQ(scheme_of("sub/a:b"), "");
  EXPECT_EQ(scheme_of("ext::sh -c x"), "");
  EXPECT_EQ(scheme_of("../a"), "");
}

TEST(Url, the_name_of_a_file) {
  EXPECT_EQ(file_name_of("https://a/b%20c.bin?x=/y#z"), "b c.bin");
  EXPECT_EQ(file_name_of("dl/odd?name"), "odd?name") << "a path is no URL";
  EXPECT_EQ(file_name_of("dl/100%25"), "100%25");
  EXPECT_EQ(file_name_of("a"), "a");
  EXPECT_EQ(file_name_of("https://a/b%2fc%20d"), "b%2fc%20d") << "a name has no slash";
  EXPECT_EQ(file_name_of("https://a/..%2F..%2Fx"), "..%2F..%2Fx");
  EXPECT_EQ(file_name_of("https://a/b%00"), "b%00");
}

TEST(Url, refs_are_whole) {
  EXPECT_NO_THROW(check_hex(std::string(40, 'a'), 40, "x"));
  for (const auto& bad :
       {std::string("main"), std::string(39, 'a'), std::string(40, 'A'), std::string(40, '-')})
    EXPECT_THROW(check_hex(bad, 40, "the full name"), Refused) << bad;
}

}  // namespace
}  // namespace weir::kinds
