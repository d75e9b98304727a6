#include "core/store/digest.h"

#include <gtest/gtest.h>

namespace weir::store {

TEST(digest, is_the_sha256_of_the_standard) {
  EXPECT_EQ(digest_of("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc").size, 3U);
}

TEST(digest, streamed_in_pieces_is_the_same) {
  const std::string bytes(100'000, 'x');
  Hasher hasher;
  for (int round = 0; round < 2; ++round) {  // a hasher is used again
    for (std::size_t at = 0; at < bytes.size(); at += 777)
      hasher.update(std::string_view(bytes).substr(at, 777));
    EXPECT_EQ(hasher.finish(), digest_of(bytes));
  }
}

TEST(digest, survives_its_text) {
  const auto digest = digest_of("hello");
  EXPECT_EQ(Digest::parse(digest.text()), digest);
  EXPECT_EQ(Key::parse(Key::of("a").hex()), Key::of("a"));
}

TEST(digest, refuses_text_that_is_none) {
  const auto hex = digest_of("").hex();
  for (const auto& text : {std::string(), hex, hex + "/", hex + "/-1", hex + "/1x", hex.substr(1) + "/1",
                           "E" + hex.substr(1) + "/0", hex + "/99999999999999999999999"})
    EXPECT_FALSE(Digest::parse(text)) << text;
}

}  // namespace weir::store
