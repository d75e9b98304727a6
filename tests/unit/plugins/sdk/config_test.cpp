#include <weir/config.hpp>

#include <gtest/gtest.h>

namespace weir::sdk {
namespace {

std::string complaints(const ConfigReader& reader) {
  std::string text;
  for (const auto& one : reader.complaints())
    text += one.path + ": " + one.message + " (" + one.remedy + ")\n";
  return text;
}

TEST(SdkConfig, what_is_read_becomes_the_resolved_document) {
  ConfigReader reader(R"({"words":["a","b"],"name":"x","often":3,"fast":true,"test":["t"]})");
  EXPECT_EQ(reader.text("name"), "x");
  EXPECT_EQ(reader.texts("words"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.integer("often", 1, 0, 10), 3);
  EXPECT_TRUE(reader.boolean("fast", false));
  EXPECT_EQ(reader.text("missing", "standard"), "standard");
  reader.texts_for_later("test");
  reader.finish();
  EXPECT_EQ(complaints(reader), "");
  EXPECT_EQ(
      reader.resolved().dump(),
      R"({"fast":true,"later":{"test":["t"]},"missing":"standard","name":"x","often":3,"words":["a","b"]})");
}

TEST(SdkConfig, every_wrong_type_is_told_with_its_place) {
  ConfigReader reader(R"({"words":["a",1],"name":2,"often":11,"fast":"yes"})");
  reader.text("name");
  reader.texts("words");
  reader.integer("often", 1, 0, 10);
  reader.boolean("fast", false);
  reader.required_text("url", "name one");
  reader.finish();
  EXPECT_EQ(complaints(reader),
            "name: \"name\" has to be a string ()\n"
            "words/1: \"words\" holds something that is no string ()\n"
            "often: \"often\" has to be a whole number from 0 to 10 ()\n"
            "fast: \"fast\" has to be true or false ()\n"
            ": \"url\" is missing (name one)\n");
}

TEST(SdkConfig, keys_that_nobody_asked_for_are_refused) {
  ConfigReader reader(R"({"comands":[],"zzz":1})");
  reader.texts("commands");
  reader.finish();
  EXPECT_EQ(complaints(reader),
            "comands: unknown key \"comands\" (did you mean \"commands\"?)\n"
            "zzz: unknown key \"zzz\" (known keys: commands)\n");
}

TEST(SdkConfig, what_cannot_be_read_is_one_complaint) {
  for (const auto* wrong : {"", "[]", "{", "1"}) {
    ConfigReader reader(wrong);
    reader.text("a");
    reader.finish();
    EXPECT_EQ(reader.complaints().size(), 1u) << wrong;
  }
}

TEST(SdkConfig, paths_stay_inside) {
  for (const auto* bad : {"/", "/a", "..", "../a", "a/..", "a/../b", "a//../b"})
    EXPECT_FALSE(stays_inside(bad)) << bad;
  for (const auto* good : {"", ".", "a", "a/b", "..a", "a..", ".../b", "a/./b"})
    EXPECT_TRUE(stays_inside(good)) << good;
}

}  // namespace
}  // namespace weir::sdk
