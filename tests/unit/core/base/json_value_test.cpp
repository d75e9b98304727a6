#include "core/base/json_value.h"

namespace weir {
namespace {

TEST(JsonValue, numbers_and_order_stay_as_they_were_written) {
  const std::string text = R"({"z":33.30000000000000000001,"a":[1,-2,1e3,null,true,"\u00fc\n"],"o":{}})";
  const auto value = parse_json(text);
  ASSERT_TRUE(value);
  EXPECT_EQ(to_json(*value),
            "{\"z\":33.30000000000000000001,\"a\":[1,-2,1e3,null,true,\"\xc3\xbc\\n\"],\"o\":{}}");
}

TEST(JsonValue, is_written_in_one_line) {
  const auto value = parse_json("{ \"a\" :\n [ 1 ,\r\n 2 ] }");
  ASSERT_TRUE(value);
  EXPECT_EQ(to_json(*value), R"({"a":[1,2]})");
}

TEST(JsonValue, members_are_found_by_name) {
  const auto value = parse_json(R"({"a":1,"b":"x"})");
  ASSERT_TRUE(value);
  ASSERT_TRUE(value->member("b"));
  EXPECT_EQ(value->member("b")->text, "x");
  EXPECT_EQ(value->member("c"), nullptr);
  EXPECT_EQ(value->member("a")->member("a"), nullptr);
}

TEST(JsonValue, what_is_nested_too_deep_is_refused_without_recursion) {
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
  EXPECT_FALSE(parse_json(std::string(100'000, '[') + std::string(100'000, ']')));
  EXPECT_TRUE(parse_json(std::string(kDeepestJson, '[') + std::string(kDeepestJson, ']')));
}

}  // namespace
}  // namespace weir
