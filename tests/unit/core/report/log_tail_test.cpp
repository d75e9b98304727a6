#include "core/report/log_tail.h"

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

TEST(LogTail, whole_lines_from_the_end) {
  const TemporaryFolder folder;
  folder.write("log", "first line\nsecond\nthird\n");
  const auto tail = read_log_tail(folder / "log", 16);
  EXPECT_EQ(tail.text, "second\nthird\n");
  EXPECT_EQ(tail.bytes, 24u);
  EXPECT_FALSE(tail.all);
  EXPECT_TRUE(read_log_tail(folder / "log", 24).all);
}

TEST(LogTail, a_sequence_without_an_end_swallows_no_more_than_its_line) {
  const TemporaryFolder folder;
  folder.write("log", "\x1b]0;title without end\nnext \x1b[31mred\x1b[0m\r\n\x01last");
  EXPECT_EQ(read_log_tail(folder / "log", 1000).text, "\nnext red\nlast");
}

TEST(LogTail, never_more_than_was_asked_for) {
  const TemporaryFolder folder;
  folder.write("log", std::string(1000, '\xff'));
  EXPECT_LE(read_log_tail(folder / "log", 100).text.size(), 100u) << "each of these bytes is shown by three";
  EXPECT_EQ(read_log_tail(folder / "log", 0).text, "");
  const auto none = read_log_tail(folder / "nothing", 100);
  EXPECT_TRUE(none.all && none.text.empty() && none.bytes == 0);
}

}  // namespace
}  // namespace weir
