#include "core/model/remote.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(RemoteUrl, the_scheme_is_what_stands_before_the_colon) {
  EXPECT_EQ(scheme_of("https://cache.example/weir"), "https");
  EXPECT_EQ(scheme_of("dir:///srv/cache"), "dir");
  EXPECT_EQ(scheme_of("dir:/srv/cache"), "dir");
  EXPECT_EQ(scheme_of("my-kind2://x"), "my-kind2");
  EXPECT_EQ(scheme_of("a+b.c://x"), "a+b.c");
}

TEST(RemoteUrl, what_cannot_be_a_scheme_is_none) {
  for (const auto* url : {"", ":", "://x", "/srv/cache", "cache.example", "HTTPS://x", "../x:", "a b://x",
                          "a/b:c", "\xc3\xa4://x"})
    EXPECT_EQ(scheme_of(url), "") << url;
}

TEST(RemoteUrl, nobody_is_shown_a_password) {
  EXPECT_EQ(shown_url("https://me:secret@cache.example/weir"), "https://***@cache.example/weir");
  EXPECT_EQ(shown_url("https://token@cache.example"), "https://***@cache.example");
  EXPECT_EQ(shown_url("https://me:s@cret@cache.example:8080/a@b"), "https://***@cache.example:8080/a@b");
  EXPECT_EQ(shown_url("https://cache.example/weir?key=secret&x=1"), "https://cache.example/weir?***");
  EXPECT_EQ(shown_url("https://cache.example?key=secret"), "https://cache.example?***");
  EXPECT_EQ(shown_url("https://me:secret@cache.example?key=secret"), "https://***@cache.example?***");
}

TEST(RemoteUrl, what_has_no_password_is_shown_as_it_is) {
  for (const auto* url : {"", "https://cache.example/weir", "https://cache.example:8080/a@b",
                          "dir:///srv/a@b/c", "nonsense", "https://", "dir:/a"})
    EXPECT_EQ(shown_url(url), url);
}

}  // namespace
}  // namespace weir
