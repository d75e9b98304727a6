#include "core/report/log_excerpt.h"

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

TEST(LogExcerpt, lines_of_many_tools_that_tell_an_error) {
  for (const auto* line : {
           "main.c:3:5: error: 'x' undeclared (first use in this function)",
           "main.c:1:10: fatal error: zlib.h: No such file or directory",
           "/usr/bin/ld: a.o: in function `main': undefined reference to `f'",
           "make: *** [Makefile:2: all] Error 1",
           "CMake Error at CMakeLists.txt:3 (find_package):",
           "error[E0425]: cannot find value `x` in this scope",
           "ERROR: Dependency \"foo\" not found",
           "sh: 1: frobnicate: command not found",
           "Traceback (most recent call last):",
           "FAILED: a.o",
           "fatal: repository 'x' does not exist",
           "app.ts(3,5): error TS2304: Cannot find name 'x'.",
           "thread 'main' panicked: panic at src/main.rs",
       })
    EXPECT_TRUE(looks_like_error(line)) << line;
}

TEST(LogExcerpt, harmless_lines_with_the_same_words) {
  for (const auto* line : {
           "",
           "cc -Wall -Werror -o error.o -c error.c",
           "0 errors, 0 warnings",
           "compiling errors.c",
           "checking for strerror... yes",
           "installing error_handling.h",
           "-- Performing Test HAVE_ERROR - Success",
           "--fatal-warnings is set",
           "no error",
           "5 tests passed, 0 failed",
       })
    EXPECT_FALSE(looks_like_error(line)) << line;
}

TEST(LogExcerpt, the_first_error_and_the_end_without_anything_for_a_terminal) {
  TemporaryFolder folder;
  const auto path = folder / "0.log";
  {
    std::ofstream log(path, std::ios::binary);
    log << "start\n\x1b[31ma.c:1: error: \x1b[1mfirst\x1b[0m\n";
    for (int i = 0; i < 30; ++i) log << "line " << i << "\n";
    log << "10 %\r50 %\r100 %\r\nlast\twithout newline";
  }
  const auto excerpt = read_log_excerpt(path, 3);
  EXPECT_EQ(excerpt.first_error, "a.c:1: error: first");
  EXPECT_EQ(excerpt.error_line, 2u);
  EXPECT_EQ(excerpt.lines, 34u);
  EXPECT_EQ(excerpt.tail, (std::vector<std::string>{"line 29", "100 %", "last without newline"}));
  EXPECT_FALSE(excerpt.all());
  EXPECT_EQ(read_log_excerpt(folder / "none", 3).lines, 0u);
}

// The loop reads it, and has other things to do.
TEST(LogExcerpt, of_a_huge_log_only_the_beginning_and_the_end_are_read) {
  TemporaryFolder folder;
  const auto path = folder / "0.log";
  {
    std::ofstream log(path, std::ios::binary);
    log << "a.c:1: error: early\n";
    const std::string line(99, 'x');
    for (int i = 0; i < 200'000; ++i) log << line << "\n";
    log << "last\n";
  }
  const auto excerpt = read_log_excerpt(path, 2);
  EXPECT_EQ(excerpt.first_error, "a.c:1: error: early");
  EXPECT_EQ(excerpt.tail, (std::vector<std::string>{std::string(99, 'x'), "last"}));
  EXPECT_FALSE(excerpt.all());
  EXPECT_LT(excerpt.lines, 60'000u);
}

TEST(LogExcerpt, a_log_without_newlines_fills_no_screen) {
  TemporaryFolder folder;
  folder.write("0.log", std::string(100'000, 'x'));
  const auto excerpt = read_log_excerpt(folder / "0.log", 20);
  ASSERT_EQ(excerpt.tail.size(), 1u);
  EXPECT_LE(excerpt.tail.front().size(), 500u);
}

}  // namespace
}  // namespace weir
