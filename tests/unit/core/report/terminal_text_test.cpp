#include "core/report/terminal_text.h"

namespace weir {
namespace {

TEST(TerminalText, control_characters_and_escape_sequences_of_jobs_are_taken_out) {
  EXPECT_EQ(strip_control("a\x1b[31;1mred\x1b[0m b\tc\n"), "ared b\tc\n");
  EXPECT_EQ(strip_control("\x1b]0;title\a!\x1b]8;;http://x\x1b\\link"), "!link");
  EXPECT_EQ(strip_control("bell\a back\b \x7f nul\0"), "bell back  nul");
  EXPECT_EQ(strip_control("caf\xc3\xa9 \xff \xc2\x9b" "31m"), "caf\xc3\xa9 \xef\xbf\xbd 31m");
  EXPECT_EQ(strip_control("cut \x1b["), "cut ");
  EXPECT_EQ(strip_control("cut \x1b"), "cut ");
}

TEST(TerminalText, colours_may_stay_when_all_else_is_taken_out) {
  EXPECT_EQ(strip_control("\x1b[31;1mred\x1b[m \x1b[2J\x1b[?25l\x1b[38:5:1mx\x1b]0;title\a", Colors::keep),
            "\x1b[31;1mred\x1b[m \x1b[38:5:1mx");
  EXPECT_EQ(strip_control("cut \x1b[3", Colors::keep), "cut ");
  EXPECT_EQ(strip_control("private \x1b[?1m\x1b[>4m", Colors::keep), "private ");
}

}  // namespace
}  // namespace weir
