#include "core/base/json_writer.h"

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

TEST(JsonWriter, bytes_that_are_no_utf8_become_a_mark) {
  EXPECT_EQ(written("a\xff\xfe" "b"), "\"a\xef\xbf\xbd\xef\xbf\xbd" "b\"");
  EXPECT_EQ(written("\xe6\x97"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace weir
