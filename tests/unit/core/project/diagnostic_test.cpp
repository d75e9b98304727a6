#include "core/project/diagnostic_text.h"

#include "core/project/toml_parse.h"
#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

std::string parse_errors(const std::string& text) {
  SourceFiles files;
  Diagnostics diagnostics;
  const auto file = files.add("x.toml", text);
  parse_toml(files[file].text, file, diagnostics);
  return to_text(diagnostics, files);
}

std::string quote(const std::string& line, std::uint32_t column) {
  SourceFiles files;
  const auto file = files.add("x.toml", line);
  const auto text = to_text(Diagnostic{Severity::error, {file, 1, column}, "m", {}, {}}, files);
  return text.substr(text.find('\n') + 1);
}

TEST(Diagnostic, the_caret_stands_under_wide_and_combined_characters) {
  EXPECT_EQ(quote("日本 x", 4), "    1 | 日本 x\n      |      ^\n");
  EXPECT_EQ(quote("e\u0301e\u0301x", 5), "    1 | e\u0301e\u0301x\n      |   ^\n");
  EXPECT_EQ(quote("\tx = 1", 2), "    1 |  x = 1\n      |  ^\n");
}

TEST(Diagnostic, control_characters_bad_bytes_and_direction_marks_are_escaped) {
  EXPECT_EQ(quote("a\x1b[31mb", 3), "    1 | a\\x1b[31mb\n      |      ^\n");
  EXPECT_EQ(quote("a\xff"
                  "b",
                  3),
            "    1 | a\\xffb\n      |      ^\n");
  EXPECT_EQ(quote("a\u202eb", 1), "    1 | a\\u{202e}b\n      | ^\n");
}

TEST(Diagnostic, long_lines_are_shown_around_the_caret) {
  const auto text = quote(std::string(5000, 'a') + "X" + std::string(5000, 'b'), 5001);
  EXPECT_LT(text.size(), 300u);
  const auto line = text.substr(0, text.find('\n'));
  const auto caret = text.substr(text.find('\n') + 1);
  EXPECT_EQ(line[caret.find('^')], 'X') << text;
}

TEST(Diagnostic, columns_are_those_of_editors_also_after_a_byte_order_mark) {
  const auto text = parse_errors(
      "\xef\xbb\xbf"
      "x = é\r\n");
  EXPECT_NE(text.find("x.toml:1:5: error:"), text.npos) << text;
  EXPECT_NE(text.find("    1 | x = é\n      |     ^\n"), text.npos) << text;
}

TEST(Diagnostic, many_are_cut_and_counted) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "k" + std::to_string(i) + " = 1\n";
  const auto errors = errors_of(load_texts(text));
  EXPECT_NE(errors.find("+4950 more errors\n5000 errors; nothing was run\n"), errors.npos);
}

TEST(Toml, hostile_documents_are_errors_and_not_crashes) {
  std::string keys, array(100'000, '['), table;
  for (int i = 0; i < 100'000; ++i) {
    keys += i ? ".a" : "a";
    table += "{a=";
  }
  for (const auto& text :
       {"[" + keys + "]\n", keys + " = 1\n", "x = {" + keys + " = 1}\n", "[" + keys + "]\n!", "x = " + array,
        "x = " + table, std::string("x = \"a\0b\"\n", 10), std::string("\0", 1),
        std::string("x = \"\xff\"\n"), std::string("x = 99999999999999999999\n"), std::string("x = nan\n"),
        std::string("x = 1\nx = 2\n"), std::string("x = 1\r"), std::string("x = \"\"\"\n"),
        std::string(kLongestTomlFile + 1, '\n'), "config." + keys.substr(0, 300) + " = 1\n"})
    EXPECT_NE(parse_errors(text), "") << text.substr(0, 40);
}

TEST(Toml, dots_in_strings_and_comments_are_not_counted) {
  const std::string dots(3000, '.');
  EXPECT_EQ(parse_errors("a = \"" + dots + "\"\nb = '" + dots + "'\nc = \"\"\"\n\\\"" + dots +
                         "\"\"\"\"\n# " + dots + "\nd = '''" + dots + "'''\ne = \"\\\\\" # " + dots + "\n"),
            "");
}

}  // namespace
}  // namespace weir
