// The README is what a newcomer types: its commands are run as they stand there, one after the other in one
// shell, and what it says that they print is compared with what they print. Times and digests may be others.
#include <gtest/gtest.h>

#include <regex>

#include "tests/e2e/run_facts.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace weir::test {
namespace {

struct Said {
  std::string command;
  std::vector<std::string> output;  // lines that have to come, in this order
  int exit = 0;
};

// The blocks that begin with ```console: "$ " begins a command; a backslash at the end of its line, or a
// here-document, goes on.
std::vector<Said> commands_of(const std::string& page) {
  std::vector<Said> all;
  bool inside = false, goes_on = false, here = false;
  for (const auto& line : lines_of(page)) {
    if (line == "```console" || line == "```") {
      inside = line == "```console";
    } else if (inside && (goes_on || here)) {
      all.back().command += "\n" + line;
      here = here && line != "END";
      goes_on = !here && line.ends_with('\\');
    } else if (inside && line.starts_with("$ ")) {
      all.push_back({line.substr(2), {}, 0});
      here = line.find("<<'END'") != line.npos;
      goes_on = line.ends_with('\\');
      if (const auto at = line.find("# exit "); at != line.npos)
        all.back().exit = std::stoi(line.substr(at + 7));
    } else if (inside && !line.empty()) {
      all.back().output.push_back(line);
    }
  }
  return all;
}

std::string without_figures(const std::string& line) {
  static const std::regex times("[0-9]+(\\.[0-9]+s|m[0-9]+s)"), digests("[0-9a-f]{16,}");
  return std::regex_replace(std::regex_replace(line, times, "TIME"), digests, "DIGEST");
}

std::string script_of(const std::vector<Said>& all) {
  std::string script;
  for (std::size_t i = 0; i < all.size(); ++i)
    script += "echo '@@@ " + std::to_string(i) + "'\n" + all[i].command + "\necho \"@@@ exit $?\"\n";
  return script;
}

// What each command wrote, and its exit code.
std::vector<std::pair<std::vector<std::string>, int>> answers_in(const std::string& text) {
  std::vector<std::pair<std::vector<std::string>, int>> all;
  for (const auto& line : lines_of(text)) {
    if (line.starts_with("@@@ exit ")) all.back().second = std::stoi(line.substr(9));
    else if (line.starts_with("@@@ ")) all.push_back({{}, -1});
    else if (!all.empty()) all.back().first.push_back(line);
  }
  return all;
}

TEST(Readme, its_commands_do_what_it_says) {
  if (std::string(WEIR_BINARY) != WEIR_SOURCE_DIR "/build/bin/weir")
    GTEST_SKIP() << "examples/run builds and runs the released weir";
  const auto commands = commands_of(content(WEIR_SOURCE_DIR "/README.md"));
  ASSERT_GT(commands.size(), 15u);
  TemporaryFolder home;
  home.write("script", script_of(commands));
  Program shell({"/usr/bin/env", "-i", "-C", WEIR_SOURCE_DIR, "HOME=" + home.path(),
                 "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "bash",
                 "-c", "exec bash '" + (home / "script") + "' 2>&1 < /dev/null"},
                {});
  ASSERT_EQ(shell.wait(), 0) << shell.text();
  const auto answers = answers_in(shell.text());
  ASSERT_EQ(answers.size(), commands.size()) << shell.text();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    std::string all;
    for (const auto& line : answers[i].first) all += line + "\n";
    EXPECT_EQ(answers[i].second, commands[i].exit) << commands[i].command << "\n" << all;
    std::size_t next = 0;
    for (const auto& line : answers[i].first)
      if (next < commands[i].output.size() &&
          without_figures(line) == without_figures(commands[i].output[next]))
        ++next;
    EXPECT_EQ(next, commands[i].output.size())
        << commands[i].command
        << "\nnever says: " << commands[i].output[std::min(next, commands[i].output.size() - 1)] << "\nbut:\n"
        << all;
  }
}

// The page says which two commands there are, and they are there.
TEST(Readme, names_the_two_commands_of_a_newcomer) {
  const auto page = content(WEIR_SOURCE_DIR "/README.md");
  for (const auto* name : {"examples/run", "tests/run"}) {
    EXPECT_NE(page.find(name), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(std::string(WEIR_SOURCE_DIR "/") + name));
  }
}

}  // namespace
}  // namespace weir::test
