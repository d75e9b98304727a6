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
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, 'a');
      text[place] = static_cast<char>(byte);
      EXPECT_EQ(written(text), "\"" + std::string(place, 'a') + inside + std::string(19 - place, 'a') + "\"")
          << byte;
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
