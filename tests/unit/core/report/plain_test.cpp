#include "core/report/plain.h"

namespace weir {
namespace {

TEST(Plain, control_characters_and_escape_sequences_of_jobs_are_taken_out) {
  EXPECT_EQ(strip_control("a\x1b[31;1mred\x1b[0m b\tc\n"), "ared b\tc\n");
  EXPECT_EQ(strip_control("\x1b]0;title\a!\x1b]8;;http://x\x1b\\link"), "!link");
  EXPECT_EQ(strip_control("bell\a back\b \x7f nul\0"), "bell back  nul");
  EXPECT_EQ(strip_control("caf\xc3\xa9 \xff \xc2\x9b" "31m"), "caf\xc3\xa9 \xef\xbf\xbd 31m");
  EXPECT_EQ(strip_control("cut \x1b["), "cut ");
  EXPECT_EQ(strip_control("cut \x1b"), "cut ");
}

}  // namespace
}  // namespace weir
