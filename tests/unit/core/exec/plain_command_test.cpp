#include "core/exec/plain_command.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

using Words = std::vector<std::string>;

std::optional<Words> words_of(const std::string& command) {
  return plain_words(Words{"sh", "-e", "-c", command});
}

TEST(PlainCommand, plain_words_need_no_shell) {
  EXPECT_EQ(words_of("true"), Words{"true"});
  EXPECT_EQ(words_of("make -C sub all CC=gcc PREFIX=/usr"),
            (Words{"make", "-C", "sub", "all", "CC=gcc", "PREFIX=/usr"}));
  EXPECT_EQ(words_of("  ./configure   --host=x86_64-linux-gnu "),
            (Words{"./configure", "--host=x86_64-linux-gnu"}));
}

TEST(PlainCommand, whatever_a_shell_understands_is_for_a_shell) {
  for (const auto* command : {"cc -o $WEIR_OUT/x x.c",
                              "a; b",
                              "a && b",
                              "a | b",
                              "a > b",
                              "a < b",
                              "a &",
                              "echo *.c",
                              "ls a?",
                              "ls [ab]",
                              "a 'b c'",
                              "a \"b\"",
                              "a \\b",
                              "a `b`",
                              "cd ~",
                              "a # b",
                              "a\nb",
                              "a\tb",
                              "(a)",
                              "{ a; }",
                              "! a",
                              "a {b,c}",
                              "a !b",
                              "\xc3\xa4",
                              ""})
    EXPECT_FALSE(words_of(command)) << command;
}

TEST(PlainCommand, words_of_the_shell_itself_are_for_a_shell) {
  for (const auto* command : {"cd sub", "exit 3", "exec make", "echo -n x", "test -e x", ". ./env", "if true",
                              "CC=gcc make", "set -x", "umask 022", ":", "wait"})
    EXPECT_FALSE(words_of(command)) << command;
}

TEST(PlainCommand, other_command_lines_are_left_alone) {
  EXPECT_FALSE(plain_words(Words{"true"}));
  EXPECT_FALSE(plain_words(Words{"sh", "-c", "true", "x"}));
  EXPECT_FALSE(plain_words(Words{"sh", "-e", "-c", "true", "name"}));
  EXPECT_FALSE(plain_words(Words{"bash", "-e", "-c", "true"}));
}

// What a user writes, as kinds hand it over.
JobSpec command(const std::string& text) { return ExecutorFixture::spec({"sh", "-e", "-c", text}); }

TEST(PlainCommand, is_started_without_a_shell) {
  ExecutorFixture fixture;
  // Its parent is weir-init, PID 1 of its namespace, or else of the same name.
  EXPECT_EQ(fixture.run(command("cat /proc/self/stat")).ending, Ending::succeeded);
  EXPECT_NE(fixture.text.find("(cat)"), std::string::npos);
  EXPECT_EQ(fixture.run(command("env")).ending, Ending::succeeded);
  EXPECT_NE(fixture.text.find("PWD=" + fixture.folder.path() + "/build\n"), std::string::npos)
      << fixture.text;
  EXPECT_EQ(fixture.run(command("false")).exit, 1);
}

TEST(PlainCommand, sees_what_it_would_see_of_a_shell) {
  ExecutorFixture fixture;
  ASSERT_EQ(fixture.run(command("env")).ending, Ending::succeeded);
  const auto plain = fixture.text;
  ASSERT_EQ(fixture.run(command("env;")).ending, Ending::succeeded);
  const auto lines = [](const std::string& text) {
    std::istringstream in(text);
    std::set<std::string> all;
    for (std::string line; std::getline(in, line);) all.insert(line);
    return all;
  };
  EXPECT_EQ(lines(plain), lines(fixture.text));
}

TEST(PlainCommand, goes_to_a_shell_if_there_is_no_such_program) {
  ExecutorFixture fixture;
  const auto missing = fixture.run(command("no-such-program --x"));
  EXPECT_EQ(missing.failure, Failure::command);
  EXPECT_EQ(missing.exit, 127);
  EXPECT_NE(fixture.text.find("not found"), std::string::npos) << fixture.text;
  // A script without #! is one of the shell's.
  const auto script = fixture.folder.path() + "/build/script";
  std::ofstream(script) << "echo from a script: $1\n";
  ::chmod(script.c_str(), 0755);
  EXPECT_EQ(fixture.run(command("./script one")).ending, Ending::succeeded);
  EXPECT_EQ(fixture.text, "from a script: one\n");
}

TEST(PlainCommand, steps_in_other_directories_are_told_theirs) {
  ExecutorFixture fixture;
  std::filesystem::create_directory(fixture.folder / "build/sub");
  auto spec = command("env");
  spec.steps.push_back(RunStep{{"sh", "-e", "-c", "env"}, "build/sub"});
  ASSERT_EQ(fixture.run(spec).ending, Ending::succeeded);
  EXPECT_NE(fixture.text.find("PWD=" + fixture.folder.path() + "/build\n"), std::string::npos)
      << fixture.text;
  EXPECT_NE(fixture.text.find("PWD=" + fixture.folder.path() + "/build/sub\n"), std::string::npos)
      << fixture.text;
}

}  // namespace
}  // namespace weir
