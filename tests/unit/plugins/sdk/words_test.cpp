#include <weir/words.hpp>

#include <gtest/gtest.h>

namespace weir::sdk {
namespace {

TEST(SdkWords, distance_counts_letters) {
  EXPECT_EQ(letters_between("", ""), 0u);
  EXPECT_EQ(letters_between("make", "make"), 0u);
  EXPECT_EQ(letters_between("mke", "make"), 1u);
  EXPECT_EQ(letters_between("maek", "make"), 1u) << "neighbours that are swapped are one mistake";
  EXPECT_EQ(letters_between("abc", ""), 3u);
  EXPECT_EQ(letters_between("cmake", "meson"), 5u);
}

TEST(SdkWords, the_nearest_is_near) {
  const std::vector<std::string> known{"make", "cmake", "meson"};
  EXPECT_EQ(*nearest("mke", known), "make");
  EXPECT_EQ(*nearest("cmkae", known), "cmake");
  EXPECT_EQ(nearest("zzzz", known), nullptr);
  EXPECT_EQ(nearest("a", {}), nullptr);
  EXPECT_EQ(nearest(std::string(1000000, 'a'), known), nullptr) << "and long words are no work";
}

TEST(SdkWords, are_joined) {
  EXPECT_EQ(joined({}, ", "), "");
  EXPECT_EQ(joined({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(in_quotes("a"), "\"a\"");
}

}  // namespace
}  // namespace weir::sdk
