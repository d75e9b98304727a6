#include "core/base/json_writer.h"
#include <gtest/gtest.h>

namespace weir {
namespace {

std::string written(std::string_view text) {
  std::string out;
  JsonWriter(out).value(text);
  return out;
}

TEST(JsonWriter, plain_text_stands_for_itself) {
  EXPECT_EQ(written(""), "\"\"");
  EXPECT_EQ(written("a b~/"), "\"a b~/\"");
  EXPECT_EQ(written("日本 é"), "\"日本 é\"");
}

TEST(JsonWriter, what_json_cannot_hold_is_escaped_wherever_it_stands) {
  EXPECT_EQ(written("\"a\\b\""), R"("\"a\\b\"")");
  EXPECT_EQ(written("\n\ta\n"), R"("\n\ta\n")");
  EXPECT_EQ(written(std::string_view("\0a\x1f\x7f", 4)), R"("\u0000a\u001f\u007f")");
}

TEST(JsonWriter, every_byte_is_seen_at_every_place) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const auto alone = written(std::string(1, static_cast<char>(byte)));
    const auto inside = alone.substr(1, alone.size() - 2);
    for (const std::size_t size : {1u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 20u, 33u, 59u, 60u, 61u})
      for (std::size_t place = 0; place < size; ++place) {
        std::string text(size, 'a');
        text[place] = static_cast<char>(byte);
        const auto expected =
            "\"" + std::string(place, 'a') + inside + std::string(size - 1 - place, 'a') + "\"";
        EXPECT_EQ(written(text), expected) << byte;
        std::string object;
        JsonWriter(object).begin_object().key(text).value(1).key(text).value(2).end_object();
        EXPECT_EQ(object, "{" + expected + ":1," + expected + ":2}") << byte;
      }
  }
}

TEST(JsonWriter, bytes_that_are_no_utf8_become_a_mark) {
  EXPECT_EQ(written("a\xff\xfe"
                    "b"),
            "\"a\xef\xbf\xbd\xef\xbf\xbd"
            "b\"");
  EXPECT_EQ(written("\xe6\x97"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace weir
