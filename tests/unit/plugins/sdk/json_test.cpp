#include <weir/json.hpp>

#include <gtest/gtest.h>

namespace weir::sdk {
namespace {

// Parsed and written again; "none" if it is no JSON.
std::string again(std::string_view text) {
  const auto json = Json::parse(text);
  return json ? json->dump() : "none";
}

TEST(SdkJson, is_written_canonically) {
  EXPECT_EQ(again(" { \"b\" : [ 1 , 2.5 , null ] ,\n\t\"a\" : { } , \"c\" : [ ] } "),
            R"({"a":{},"b":[1,2.5,null],"c":[]})");
  EXPECT_EQ(again("true"), "true");
  EXPECT_EQ(again("false"), "false");
  EXPECT_EQ(again("\"\""), "\"\"");
}

TEST(SdkJson, the_last_of_two_equal_keys_counts) {
  EXPECT_EQ(again(R"({"a":1,"a":{"b":2}})"), R"({"a":{"b":2}})");
  EXPECT_EQ(again(R"({"a":1,"a":null})"), R"({"a":null})");
}

TEST(SdkJson, what_it_writes_it_reads_as_the_same) {
  for (const auto* text : {R"({"a":[{"b":"c\n\u0001\"\\"},-7,0,1e+100,0.1]})", R"(["\ud83d\ude00","\u00e4"])",
                           "[[[[]]]]", "-0.5"}) {
    const auto once = again(text);
    EXPECT_EQ(again(once), once) << text;
  }
}

TEST(SdkJson, copies_have_their_own_values) {
  for (const auto* text : {"null", "true", "-7", "0.5", R"("a text that is too long to be kept inline")",
                           "[1,[2]]", R"({"a":{"b":"c"}})"}) {
    const auto json = *Json::parse(text);
    Json copy = json, assigned = "something else";
    assigned = copy;
    const auto moved = std::move(copy);
    EXPECT_EQ(json.dump(), text);
    EXPECT_EQ(assigned.dump(), text);
    EXPECT_EQ(moved.dump(), text);
  }
}

TEST(SdkJson, a_part_can_take_the_place_of_the_whole) {
  auto json = *Json::parse(R"({"a":{"b":{"c":[1]}}})");
  json = *json.find("a");
  EXPECT_EQ(json.dump(), R"({"b":{"c":[1]}})");
  json = std::move(json.object()->at("b"));
  EXPECT_EQ(json.dump(), R"({"c":[1]})");
  auto& same = json;
  json = same;
  json = std::move(same);
  EXPECT_EQ(json.dump(), R"({"c":[1]})");
}

TEST(SdkJson, escapes_are_what_they_mean) {
  EXPECT_EQ(*Json::parse(R"("\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac")")->text(),
            "\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac");
  EXPECT_EQ(Json(std::string("a\0b", 3)).dump(), "\"a\\u0000b\"");
  EXPECT_EQ(Json("\x1f\x7f/").dump(), "\"\\u001f\x7f/\"");
  for (const auto* wrong : {R"("\x")", R"("\u12")", R"("\u12g4")", R"("\)", "\"", "\"a"})
    EXPECT_EQ(again(wrong), "none") << wrong;
}

TEST(SdkJson, surrogates_come_in_pairs) {
  EXPECT_EQ(*Json::parse(R"("\ud83d\ude00")")->text(), "\xf0\x9f\x98\x80");
  EXPECT_EQ(*Json::parse(R"("\udbff\udfff")")->text(), "\xf4\x8f\xbf\xbf");
  for (const auto* wrong :
       {R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\n")", R"("\ud83d\ud83d")", R"("\ude00")", R"("\u-123")"})
    EXPECT_EQ(again(wrong), "none") << wrong;
}

TEST(SdkJson, control_characters_have_to_be_escaped) {
  for (const auto* wrong : {"\"a\nb\"", "\"\t\"", "\"\x01\""}) EXPECT_EQ(again(wrong), "none");
  EXPECT_EQ(again(std::string_view("\"\0\"", 3)), "none");
}

TEST(SdkJson, numbers) {
  EXPECT_EQ(*Json::parse("9223372036854775807")->integer(), INT64_MAX);
  EXPECT_EQ(*Json::parse("-9223372036854775808")->integer(), INT64_MIN);
  EXPECT_EQ(Json::parse("9223372036854775808")->integer(), nullptr) << "it is a number that is not whole";
  EXPECT_EQ(again("1.0"), "1.0") << "it does not become a whole number";
  EXPECT_EQ(again("1e2"), "100.0");
  EXPECT_EQ(again("-0"), "0");
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  for (const auto* wrong : {"01", "-01", "00", ".5", "5.", "+1", "1e", "1.e5", "-", "--1", "1-2", "0x1",
                            "NaN", "Infinity", "1e999"})
    EXPECT_EQ(again(wrong), "none") << wrong;
}

TEST(SdkJson, what_is_no_json_is_refused) {
  for (const auto* wrong : {"",     " ",       "{",        "}",     "[",          "]",     "[1,]",
                            "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "[1 2]", "1 2",
                            "tru",  "nul",     "nulll",    "'a'",   "{\"a\":1}}", "//",    "\xef\xbb\xbf{}"})
    EXPECT_EQ(again(wrong), "none") << wrong;
}

TEST(SdkJson, depth_has_an_end) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NE(again(nested(200)), "none");
  EXPECT_EQ(again(nested(300)), "none");
  EXPECT_EQ(again(std::string(1000000, '[')), "none");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(again(objects), "none");
}

TEST(SdkJson, members_that_are_missing_or_of_another_type_are_empty) {
  const auto json = *Json::parse(R"({"text":"a","list":["a",1,"b"],"yes":true,"seven":7})");
  EXPECT_EQ(json.text("text"), "a");
  EXPECT_EQ(json.text("seven"), "");
  EXPECT_EQ(json.texts("list"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(json.boolean("yes"));
  EXPECT_FALSE(json.boolean("text"));
  EXPECT_EQ(json.integer("seven"), 7);
  EXPECT_EQ(json.integer("missing"), 0);
  EXPECT_EQ(json.part({"yes", "missing"}).dump(), R"({"yes":true})");
  EXPECT_EQ(Json(1).find("a"), nullptr);
}

}  // namespace
}  // namespace weir::sdk
