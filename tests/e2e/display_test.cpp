// The live display, on the screen of a real terminal emulator.
#include <gtest/gtest.h>

#include "tests/e2e/run_facts.h"
#include "tests/e2e/screen.h"
#include "tests/e2e/terminal.h"

namespace weir::test {
namespace {

// Jobs end when the test wants them to: each waits until a file is there.
class DisplayTest : public testing::Test {
 protected:
  DisplayTest() {
    project_.file("weir.toml",
                  "weir = 1\n[project]\nname = \"live\"\n[resources]\nlicense = 1\n" + waiting("base") +
                      waiting("lib", "depends = [\"base\"]") +
                      waiting("\"\xe6\xbc\xa2\xe5\xad\x97\"", "needs = { license = 1 }", "wide") +
                      waiting("licensed", "needs = { license = 1 }") + failing("bad") +
                      waiting("app", "depends = [\"lib\"]"));
  }
  std::string gate(const std::string& name) const { return project_.path() + "/" + name + ".go"; }
  std::string waiting(const std::string& element, const std::string& more = "", std::string name = "") const {
    if (name.empty()) name = element;
    return "[element." + element + "]\nkind = \"script\"\n" + more + "\nconfig.commands = ['''while ! [ -e " +
           gate(name) + " ]; do sleep 0.01; done''']\n";
  }
  // Fails until the file is there.
  std::string failing(const std::string& name) const {
    return "[element." + name +
           "]\nkind = \"script\"\nconfig.commands = ['''printf 'one\\033[31m red\\033[2J\\n'; echo 'x.c:3: "
           "error: wrong'; [ -e " +
           gate(name) + " ]''']\n";
  }
  void open(const std::string& name) { project_.file(name + ".go", ""); }
  // The display of the four jobs, once it is whole: two of three run, and the last line says why the next one
  // waits. Empty if it never is. The terminal may be looked at in the middle of a redraw, so one look is not
  // enough.
  static std::vector<std::string> whole_region(const Screen& screen) {
    std::vector<std::string> region;
    const auto is_whole = [&](const auto& lines) {
      if (lines.size() == 5 && lines[0].starts_with("[0/4] ") &&
          lines[0].find("process 2/3") != std::string::npos && lines[4].starts_with("next: build"))
        region = lines;
      return !region.empty();
    };
    EXPECT_TRUE(screen.shows(is_whole)) << screen.text();
    return region;
  }

  static bool has(const std::vector<std::string>& lines, const std::string& what) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& line) { return line.find(what) != line.npos; });
  }

  TempProject project_;
};

TEST_F(DisplayTest, shows_progress_jobs_and_why_the_next_one_waits_at_80_columns) {
  Screen screen(project_, 80, 24, "build --sandbox none -j 3 base lib licensed '\xe6\xbc\xa2\xe5\xad\x97'");
  const auto lines = whole_region(screen);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0].substr(0, 8), "[0/4] 0:") << screen.text();
  EXPECT_NE(lines[0].find("license 1/1"), std::string::npos) << screen.text();
  EXPECT_TRUE(has(lines, "* build base")) << "lib waits for it\n" << screen.text();
  EXPECT_TRUE(has(lines, "waits for license: needs 1, 0 free")) << screen.text();
  open("base");
  EXPECT_TRUE(screen.shows([&](const auto& now) {
    return !now.empty() && now.front().starts_with("done      build base") && has(now, "build lib");
  })) << "it scrolls above the region\n"
      << screen.text();
  for (const auto* name : {"lib", "wide", "licensed"}) open(name);
  EXPECT_EQ(screen.exit(), 0);
  EXPECT_TRUE(has(screen.lines(), "succeeded: 4 built")) << screen.text();
  EXPECT_FALSE(has(screen.lines(), "[4/4]")) << "the region is gone\n" << screen.text();
}

TEST_F(DisplayTest, fits_into_40_columns) {
  Screen screen(project_, 40, 24, "build --sandbox none -j 3 base lib licensed '\xe6\xbc\xa2\xe5\xad\x97'");
  const auto lines = whole_region(screen);
  ASSERT_FALSE(lines.empty()) << "nothing is wrapped";
  EXPECT_TRUE(lines[4].ends_with("\xe2\x80\xa6")) << screen.text();
}

TEST_F(DisplayTest, uses_what_200_columns_give) {
  Screen screen(project_, 200, 50, "build --sandbox none -j 3 base lib licensed '\xe6\xbc\xa2\xe5\xad\x97'");
  EXPECT_TRUE(has(whole_region(screen), "pull 4 skipped  fetch 4 skipped  build")) << screen.text();
}

TEST_F(DisplayTest, follows_the_size_of_the_window) {
  Screen screen(project_, 120, 24, "build --sandbox none -j 3 base lib licensed '\xe6\xbc\xa2\xe5\xad\x97'");
  ASSERT_TRUE(screen.shows("next: build")) << screen.text();
  for (const std::size_t columns : {38, 90, 30, 200, 40}) {
    screen.resize(columns, 24);
    // One region, whole, and nothing left of the one before.
    ASSERT_TRUE(screen.shows([&](const auto& lines) {
      return lines.size() == 5 && lines[0].starts_with("[0/4]") && lines[4].starts_with("next: ") &&
             lines[1].find("[") == std::string::npos;
    })) << columns
        << "\n"
        << screen.text();
  }
  screen.resize(80, 6);
  EXPECT_TRUE(screen.shows([](const auto& lines) {
    return lines.size() == 2 && lines[0].starts_with("[0/4]");
  })) << screen.text();
}

TEST_F(DisplayTest, a_failure_is_told_with_its_class_its_command_its_first_error_and_what_to_type) {
  Screen screen(project_, 80, 40, "build --sandbox none --on-error quit bad");
  EXPECT_EQ(screen.exit(), 1);
  const auto lines = screen.lines();
  EXPECT_TRUE(has(lines, "FAILED    build bad: a command failed with exit code 1")) << screen.text();
  EXPECT_TRUE(has(lines, "  command   printf")) << screen.text();
  EXPECT_TRUE(has(lines, "  error     x.c:3: error: wrong")) << screen.text();
  EXPECT_TRUE(has(lines, "          | one red")) << "without its escape sequences\n" << screen.text();
  EXPECT_TRUE(has(lines, "weir log bad ")) << screen.text();
  EXPECT_TRUE(has(lines, "weir shell --failed bad ")) << screen.text();
  EXPECT_TRUE(has(lines, "weir why bad ")) << screen.text();
  EXPECT_TRUE(has(lines, "failed: 1 failed in")) << screen.text();
}

TEST_F(DisplayTest, what_had_changed_is_part_of_the_failure) {
  open("bad");
  ASSERT_EQ(weir(project_, {"-q", "build", "--sandbox", "none", "bad"}).exit, 0);
  project_.file("weir.toml",
                content(project_.path() + "/weir.toml") + "\n[element.bad.env]\nCFLAGS = \"-O9\"\n");
  std::filesystem::remove(gate("bad"));
  Screen screen(project_, 80, 40, "build --sandbox none --on-error quit bad");
  EXPECT_EQ(screen.exit(), 1);
  EXPECT_TRUE(has(screen.lines(), "  changed   since run 1 built it:")) << screen.text();
  EXPECT_TRUE(has(screen.lines(), "CFLAGS: new, \"-O9\"")) << screen.text();
}

TEST_F(DisplayTest, jobs_stop_with_ctrl_z_and_go_on_with_fg) {
  Screen screen(project_, 80, 24, "build --sandbox none base");
  ASSERT_TRUE(screen.shows("build base")) << screen.text();
  screen.press("C-z");
  EXPECT_GT(screen.exit(), 128) << screen.text();
  EXPECT_FALSE(has(screen.lines(), "[0/1]")) << "the region is not left behind\n" << screen.text();
  screen.command("fg");
  ASSERT_TRUE(screen.shows("[0/1]")) << screen.text();
  open("base");
  EXPECT_EQ(screen.exit(), 0) << screen.text();
  EXPECT_TRUE(has(screen.lines(), "succeeded: 1 built")) << screen.text();
}

TEST_F(DisplayTest, recorded_durations_become_an_estimate) {
  project_.file("weir.toml", "weir = 1\n[project]\nname = \"live\"\n" + waiting("slow"));
  {
    Screen screen(project_, 80, 24, "build --sandbox none");
    // Some seconds: how many is a matter of when this test gets to look.
    ASSERT_TRUE(screen.shows([](const auto& lines) {
      return !lines.empty() && lines[0].starts_with("[0/1] ") && lines[0].substr(6, 4) >= "0:02";
    })) << screen.text();
    open("slow");
    ASSERT_EQ(screen.exit(), 0);
  }
  std::filesystem::remove(gate("slow"));
  Screen screen(project_, 80, 24, "build --sandbox none --force");
  // What is left is shown for two seconds, which a busy machine may miss: that line is tested on virtual
  // time.
  EXPECT_TRUE(screen.shows("  memory ")) << "learnt, as the duration is\n" << screen.text();
  EXPECT_TRUE(screen.shows("  process 1/")) << screen.text();
  EXPECT_TRUE(screen.shows(" of about 0:")) << screen.text();
}

// Where nobody can draw, there is no escape byte at all.
TEST_F(DisplayTest, no_escape_byte_without_a_terminal_with_no_color_or_on_a_dumb_one) {
  const auto piped = weir(project_, {"-v", "build", "--sandbox", "none", "bad"});
  EXPECT_EQ(piped.exit, 1);
  EXPECT_EQ(piped.err.find('\x1b'), std::string::npos) << piped.err;
  for (const auto* variable : {"NO_COLOR=1", "TERM=dumb"}) {
    Terminal terminal(project_, {"/usr/bin/env", "-u", "CI", "TERM=xterm", variable, WEIR_BINARY, "build",
                                 "--sandbox", "none", "--on-error", "quit", "--retry-failed", "bad"});
    EXPECT_EQ(terminal.wait(), 1);
    EXPECT_EQ(terminal.screen().find('\x1b'), std::string::npos) << variable << terminal.screen();
    EXPECT_NE(terminal.screen().find("FAILED    build bad"), std::string::npos) << terminal.screen();
  }
  Terminal drawn(project_, {"/usr/bin/env", "-u", "CI", "-u", "NO_COLOR", "TERM=xterm", WEIR_BINARY, "build",
                            "--sandbox", "none", "--on-error", "quit", "--retry-failed", "bad"});
  EXPECT_EQ(drawn.wait(), 1);
  EXPECT_NE(drawn.screen().find('\x1b'), std::string::npos) << "else this test would prove nothing";
}

TEST_F(DisplayTest, nothing_of_the_region_is_kept_in_the_history_of_the_terminal) {
  open("base");
  Screen screen(project_, 80, 24, "build --sandbox none base");
  EXPECT_EQ(screen.exit(), 0);
  EXPECT_EQ(screen.history().find("looking what there is to do"), std::string::npos) << screen.history();
}

TEST_F(DisplayTest, in_the_background_and_beside_events_on_the_terminal_there_are_lines) {
  open("base");
  Screen screen(project_, 80, 24, "build --sandbox none base & wait");
  EXPECT_TRUE(screen.shows("start     build base")) << screen.text();
  EXPECT_TRUE(screen.shows("succeeded: 1 built")) << screen.text();
  screen.exit();
  screen.command("clear; " WEIR_BINARY " build --sandbox none --force base --events -");
  EXPECT_EQ(screen.exit(), 0);
  EXPECT_NE(screen.history().find("start     build base"), std::string::npos) << screen.history();
}

TEST_F(DisplayTest, quiet_says_only_what_went_wrong_and_verbose_more) {
  open("base");
  const auto quiet = weir(project_, {"-q", "build", "--sandbox", "none", "base"});
  EXPECT_EQ(quiet.err, "");
  const auto failed = weir(project_, {"-q", "build", "--sandbox", "none", "bad"});
  EXPECT_NE(failed.err.find("FAILED    build bad"), std::string::npos) << failed.err;
  const auto verbose = weir(project_, {"-v", "build", "--sandbox", "none", "base"});
  EXPECT_NE(verbose.err.find("skip      build base: "), std::string::npos) << verbose.err;
  const auto usual = weir(project_, {"build", "--sandbox", "none", "base"});
  EXPECT_EQ(usual.err.find("skip "), std::string::npos) << usual.err;
}

}  // namespace
}  // namespace weir::test
