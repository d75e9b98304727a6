#include "core/report/log_lines.h"

#include "core/report/log_excerpt.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

class LogLinesTest : public testing::Test {
 protected:
  std::string log(const std::string& text) {
    folder_.write("log", text);
    return folder_ / "log";
  }
  static std::vector<std::string> all(LogLines lines) {
    std::vector<std::string> found;
    while (lines.next()) found.push_back((lines.continues() ? "+" : "") + lines.line());
    return found;
  }
  static std::vector<std::string> clean(LogLines lines) {
    std::vector<std::string> found;
    for_each_clean_line(std::move(lines), [&](std::string_view line) { found.emplace_back(line); });
    return found;
  }
  TemporaryFolder folder_;
};

using Texts = std::vector<std::string>;

TEST_F(LogLinesTest, lines_with_and_without_an_end) {
  EXPECT_EQ(all(LogLines(log(""))), Texts());
  EXPECT_EQ(all(LogLines(log("\n"))), Texts{""});
  EXPECT_EQ(all(LogLines(log("a\n\nb"))), (Texts{"a", "", "b"}));
  EXPECT_EQ(all(LogLines(folder_ / "nosuch")), Texts());
}

TEST_F(LogLinesTest, a_part_of_a_log) {
  const auto path = log("one\ntwo\nthree\n");
  EXPECT_EQ(all(LogLines(path, 0, 5)), (Texts{"one", "t"}));
  EXPECT_EQ(all(LogLines(path, 8)), Texts{"three"});
  EXPECT_EQ(all(LogLines(path, 5, 100)), (Texts{"wo", "three"}));
  EXPECT_EQ(all(LogLines(path, 5, 5)), Texts());
  EXPECT_EQ(all(LogLines(path, 500)), Texts());
}

TEST_F(LogLinesTest, a_line_without_an_end_comes_in_pieces_that_cut_no_character) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'x');
    while (text.size() < 3 * LogLines::kPiece) text += "\xf0\x9f\x8c\x8a";
    std::string joined;
    std::size_t pieces = 0;
    for (LogLines lines(log(text + "\nend\n")); lines.next();) {
      EXPECT_LE(lines.line().size(), LogLines::kPiece);
      EXPECT_EQ(lines.continues(), pieces > 0 && lines.line() != "end");
      // The rest of a line that was cut right before its end is empty.
      const auto last = lines.line().empty() ? 0 : lines.line().back();
      EXPECT_NE(last & 0xc0, 0xc0) << "a piece ends in the middle of a character";
      joined += lines.line();
      ++pieces;
    }
    EXPECT_EQ(joined, text + "end");
    EXPECT_GE(pieces, 4u);
  }
}

TEST_F(LogLinesTest, bytes_that_are_no_characters_are_kept_too) {
  const std::string text(3 * LogLines::kPiece, '\xff');
  std::string joined;
  for (LogLines lines(log(text)); lines.next();) joined += lines.line();
  EXPECT_EQ(joined, text);
}

TEST_F(LogLinesTest, for_people_without_control_and_with_what_was_written_over) {
  EXPECT_EQ(clean(LogLines(log("\x1b[31mred\x1b[0m\r\n 10%\r 20%\rdone\n\a\x01\n"))),
            (Texts{"red", " 10%", " 20%", "done", ""}));
}

TEST_F(LogLinesTest, an_excerpt_counts_a_long_line_once) {
  const auto excerpt = read_log_excerpt(
      log("first\n" + std::string(5 * LogLines::kPiece, 'x') + "\nmain.c:1: error: no\nlast\n"), 2);
  EXPECT_EQ(excerpt.lines, 4u);
  EXPECT_EQ(excerpt.error_line, 3u);
  EXPECT_EQ(excerpt.tail, (Texts{"main.c:1: error: no", "last"}));
}

}  // namespace
}  // namespace weir
