#include "core/base/print.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(ForTerminal, colours_stay_and_all_else_that_is_not_text_goes) {
  EXPECT_EQ(for_terminal("\x1b[1;31mred\x1b[0m\n"), "\x1b[1;31mred\x1b[0m\n");
  EXPECT_EQ(for_terminal("a\x1b[2Jb\x1b]0;title\x07"
                         "c\rd\be\x9b"
                         "f\xc2\x9b"
                         "g\n"),
            "abcde\xef\xbf\xbd"
            "fg\n");
  EXPECT_EQ(for_terminal("tab\tstays, \xc3\xa4 too"), "tab\tstays, \xc3\xa4 too");
  EXPECT_EQ(for_terminal(""), "");
}

TEST(ForTerminal, a_sequence_without_an_end_takes_no_more_than_its_line) {
  EXPECT_EQ(for_terminal("a\x1b]0;title\nb\n"), "a\nb\n");
  EXPECT_EQ(for_terminal("a\x1b"), "a");
  EXPECT_EQ(for_terminal("\x1b\nb"), "\nb");
}

}  // namespace
}  // namespace weir
