#include "core/report/terminal_text.h"

namespace weir {
namespace {

TEST(TerminalText, control_characters_and_escape_sequences_of_jobs_are_taken_out) {
  EXPECT_EQ(strip_control("a\x1b[31;1mred\x1b[0m b\tc\n"), "ared b\tc\n");
  EXPECT_EQ(strip_control("\x1b]0;title\a!\x1b]8;;http://x\x1b\\link"), "!link");
  EXPECT_EQ(strip_control("bell\a back\b \x7f nul\0"), "bell back  nul");
  EXPECT_EQ(strip_control("caf\xc3\xa9 \xff \xc2\x9b"
                          "31m"),
            "caf\xc3\xa9 \xef\xbf\xbd 31m");
  EXPECT_EQ(strip_control("cut \x1b["), "cut ");
  EXPECT_EQ(strip_control("cut \x1b"), "cut ");
}

TEST(TerminalText, colours_may_stay_when_all_else_is_taken_out) {
  EXPECT_EQ(strip_control("\x1b[31;1mred\x1b[m \x1b[2J\x1b[?25l\x1b[38:5:1mx\x1b]0;title\a", Colors::keep),
            "\x1b[31;1mred\x1b[m \x1b[38:5:1mx");
  EXPECT_EQ(strip_control("cut \x1b[3", Colors::keep), "cut ");
  EXPECT_EQ(strip_control("private \x1b[?1m\x1b[>4m", Colors::keep), "private ");
}

TEST(TerminalText, widths_are_those_of_a_terminal) {
  EXPECT_EQ(display_width("plain"), 5u);
  EXPECT_EQ(display_width("\xe6\xbc\xa2\xe5\xad\x97"), 4u) << "wide";
  EXPECT_EQ(display_width("e\xcc\x81"), 1u) << "combining";
  EXPECT_EQ(display_width("caf\xc3\xa9"), 4u);
  EXPECT_EQ(display_width("\xff"), 1u) << "no UTF-8";
}

TEST(TerminalText, what_is_cut_ends_in_an_ellipsis_and_never_within_a_character) {
  EXPECT_EQ(fit("plain", 5), "plain");
  EXPECT_EQ(fit("plain", 4), "pla\xe2\x80\xa6");
  EXPECT_EQ(fit("\xe6\xbc\xa2\xe5\xad\x97", 3), "\xe6\xbc\xa2\xe2\x80\xa6");
  EXPECT_EQ(fit("\xe6\xbc\xa2\xe5\xad\x97", 2), "\xe2\x80\xa6");
  EXPECT_EQ(fit("x", 0), "");
  EXPECT_EQ(fit_end("a/long/path", 5), "\xe2\x80\xa6path");
  EXPECT_EQ(fit_end("\xe6\xbc\xa2\xe5\xad\x97", 3), "\xe2\x80\xa6\xe5\xad\x97");
  EXPECT_EQ(pad("\xe6\xbc\xa2", 4), "\xe6\xbc\xa2  ");
}

TEST(TerminalText, clocks) {
  EXPECT_EQ(format_clock(std::chrono::seconds(7)), "0:07");
  EXPECT_EQ(format_clock(std::chrono::seconds(754)), "12:34");
  EXPECT_EQ(format_clock(std::chrono::seconds(3723)), "1:02:03");
  EXPECT_EQ(format_clock(std::chrono::seconds(-5)), "0:00");
}

// 200 kB of such sequences took 40 s: each was searched to the end of the text for an end of the other kind.
TEST(TerminalText, sequences_with_an_end_of_their_own_cost_what_others_do) {
  const auto time = [](std::string_view sequence) {
    std::string text;
    while (text.size() < 200'000) text += sequence;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(strip_control(text), "");
    return std::chrono::steady_clock::now() - start;
  };
  const auto usual = time("\x1b[0m");
  EXPECT_LT(time("\x1b]x\a"), 100 * usual);
  EXPECT_LT(time("\x1b]\x1b\\"), 100 * usual);
}

}  // namespace
}  // namespace weir
