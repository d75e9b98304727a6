// What weir says of itself, and of command lines that are wrong.
#include <filesystem>
#include <sstream>

#include "tests/e2e/installed_weir.h"
#include "tests/e2e/weir_process.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

std::string line_of(const Words& words) {
  std::string line = "weir";
  for (const auto& word : words) line += " " + word;
  return line;
}

TEST(Help, is_asked_for_in_many_ways_and_is_exit_0_on_standard_output) {
  TempProject folder;
  for (const auto& words : {Words{"--help"}, {"-h"}, {"help"}, {"-q", "--help"}}) {
    const auto help = weir(folder, words);
    EXPECT_EQ(help.exit, 0) << line_of(words);
    EXPECT_TRUE(help.out.starts_with("weir: ")) << help.out;
    EXPECT_NE(help.out.find("Exit codes:"), std::string::npos);
    EXPECT_EQ(help.err, "");
  }
  const auto gc = weir(folder, {"cache", "gc", "--help"}).out;
  EXPECT_TRUE(gc.starts_with("weir cache gc: ")) << gc;
  for (const auto& words : {Words{"help", "cache", "gc"},
                            {"--help", "cache", "gc"},
                            {"cache", "--help", "gc"},
                            {"cache", "gc", "-h"}})
    EXPECT_EQ(weir(folder, words).out, gc) << line_of(words);
  EXPECT_EQ(weir(folder, {"build", "--version"}).out, weir(folder, {"--version"}).out);
}

TEST(Help, without_a_command_it_goes_to_standard_error_and_is_exit_2) {
  TempProject folder;
  for (const auto& words : {Words{}, {"-q"}, {"--color", "never"}, {"--"}}) {
    const auto help = weir(folder, words);
    EXPECT_EQ(help.exit, 2) << line_of(words);
    EXPECT_EQ(help.out, "");
    EXPECT_EQ(help.err, weir(folder, {"--help"}).out);
  }
}

struct Wrong {
  Words words;
  const char* said;  // on the first line
  const char* meant;
};

// All messages are in the unit test of read_words; this is what a script sees of them.
TEST(Help, a_usage_error_is_exit_2_with_two_lines_on_standard_error_and_nothing_is_run) {
  const std::vector<Wrong> all = {
      {{"biuld"}, "there is no command \"biuld\"", "did you mean \"weir build\"?"},
      {{"cache", "stats"}, "\"stats\"", "did you mean \"weir cache stat\"?"},
      {{"help", "biuld"}, "there is no command \"biuld\"", "did you mean \"weir build\"?"},
      {{"help", "build", "app"}, "\"app\" is one word too many", "see weir build --help"},
      {{"build", "--forc"}, "no option \"--forc\"", "did you mean \"--force\"?"},
      {{"build", "--", "--force"}, "--force", ""},
      {{"build", "--color", "alwys"}, "--color cannot be \"alwys\"", "did you mean \"always\"?"},
      {{"runs", "-n", "x"}, "-n cannot be \"x\"", "see weir runs --help"},
      {{"runs", "-n", "-1"}, "-n cannot be \"-1\"", "see weir runs --help"},
      {{"log", "--run", "18446744073709551616"},
       "--run cannot be \"18446744073709551616\"",
       "see weir log --help"},
      {{"build", "--junit"}, "--junit needs a value", "see weir build --help"},
      {{"why"}, "weir why needs ELEMENT", "see weir why --help"},
      {{"plugin"}, "weir plugin needs a command: list, new or check", "see weir plugin --help"},
      {{"build", "--events", "a", "--events", "b"}, "--events is given twice", "see weir build --help"},
      {{"build", "--no-remote", "--remote", "x"}, "do not go together", "see weir build --help"},
      {{"-qv", "show"}, "do not go together", "see weir show --help"},
  };
  TempProject project;
  project.file("weir.toml", "weir = 1\n[element.app]\nkind = \"stack\"\n");
  for (const auto& wrong : all) {
    const auto done = weir(project, wrong.words);
    EXPECT_EQ(done.exit, 2) << line_of(wrong.words);
    EXPECT_EQ(done.out, "") << line_of(wrong.words);
    const auto end = done.err.find('\n');
    EXPECT_NE(done.err.substr(0, end).find(wrong.said), std::string::npos) << line_of(wrong.words) << "\n"
                                                                           << done.err;
    EXPECT_NE(done.err.substr(end).find(wrong.meant), std::string::npos) << line_of(wrong.words) << "\n"
                                                                         << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 2) << done.err;
  }
  const auto projects = project.cache() + "/projects";
  EXPECT_TRUE(!fs::exists(projects) || fs::is_empty(projects));
}

TEST(Help, options_and_words_arrive_as_they_were_written) {
  TempProject project;
  project.file("sub/[x]/weir.toml",
               "weir = 1\n[element.app]\nkind = \"stack\"\n[element.lib]\nkind = \"stack\"\n");
  // A folder in brackets, targets behind "--", options in all places.
  const auto shown = weir(project, {"-C", "sub/[x]", "show", "--deps=none", "app", "--", "lib"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_NE(shown.out.find("\napp "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("\nlib "), std::string::npos) << shown.out;
  EXPECT_EQ(weir(project, {"show", "lib", "-Csub/[x]", "--json", "-q"}).exit, 0);
  const auto listed = weir(project, {"-C", "sub/[x]", "show", "[app,lib]"});
  EXPECT_EQ(listed.exit, 2);
  EXPECT_NE(listed.err.find("[app,lib]"), std::string::npos) << listed.err;
}

TEST(Help, the_color_of_the_command_line_is_a_setting_as_others_are) {
  TempProject folder;
  for (const auto& words : {Words{"--color", "never", "doctor"}, {"doctor", "--color=never"}}) {
    const auto doctor = weir(folder, words).out;
    const auto at = doctor.find("\nui.color");
    ASSERT_NE(at, std::string::npos) << doctor;
    const auto row = doctor.substr(at, doctor.find('\n', at + 1) - at);
    EXPECT_NE(row.find("never"), std::string::npos) << row;
    EXPECT_NE(row.find("command line (--color never)"), std::string::npos) << row;
  }
}

// Names of all commands in the help of `words`: lines of two columns below titles other than those of options
// and exit codes.
Words commands_in(const std::string& help) {
  Words names;
  bool commands = false;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(':'))
      commands = !line.starts_with("Options") && !line.starts_with("Exit") && !line.starts_with("Examples");
    else if (commands && line.size() > 2 && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

TEST(ManPages, every_command_has_one_and_groff_has_nothing_to_say) {
  const auto man = InstalledWeir::instance().prefix() + "/share/man/man1/";
  TempProject folder;
  auto commands = commands_in(weir(folder, {"--help"}).out);
  ASSERT_GE(commands.size(), 21u);
  std::size_t pages = 0;
  for (const auto& entry : fs::directory_iterator(man)) pages += entry.path().extension() == ".1";
  EXPECT_EQ(pages, commands.size() + 1);
  commands.insert(commands.begin(), "");
  for (const auto& command : commands) {
    const auto file = man + "weir" + (command.empty() ? "" : "-" + command) + ".1";
    // run_program has standard error, too.
    EXPECT_EQ(run_program(folder.path(), {"groff", "-man", "-Wall", "-ww", "-z", file}), "") << file;
    const auto text =
        run_program(folder.path(), {"groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", "-rLL=120n", file});
    EXPECT_NE(text.find("weir" + (command.empty() ? "" : "-" + command) + " - "), std::string::npos) << text;
    EXPECT_NE(text.find("SEE ALSO"), std::string::npos) << text;
  }
  const auto build =
      run_program(folder.path(), {"groff", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", man + "weir-build.1"});
  EXPECT_NE(build.find("--on-error POLICY"), std::string::npos) << build;
  EXPECT_NE(build.find("weir build app 'tools/*' -j 4"), std::string::npos) << build;
}

}  // namespace
}  // namespace weir::test
