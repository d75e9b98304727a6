// What weir asks the person at the terminal, and every answer.
#include <gtest/gtest.h>

#include "tests/e2e/run_facts.h"
#include "tests/e2e/screen.h"
#include "tests/e2e/terminal.h"

namespace weir::test {
namespace {

constexpr auto* kAboutFailure = "continue, quit, terminate, retry, log or shell?";
constexpr auto* kAboutInterrupt = "continue, quit or terminate?";

// `bad` fails until a file is there; `long` runs until another one is.
class PromptTest : public testing::Test {
 protected:
  PromptTest() {
    const auto wait = "while ! [ -e " + project_.path() + "/long.go ]; do sleep 0.01; done";
    project_.file(
        "weir.toml",
        "weir = 1\n[project]\nname = \"asks\"\n[element.long]\nkind = \"script\"\nconfig.commands = ['''" +
            wait + "''']\n[element.bad]\nkind = \"script\"\nconfig.commands = ['''echo tried; [ -e " +
            project_.path() + "/bad.go ]''']\n" +
            "[element.other]\nkind = \"script\"\nbuild-depends = [\"long\"]\nconfig.commands = [\"true\"]\n" +
            "[element.app]\nkind = \"script\"\ndepends = [\"bad\"]\nconfig.commands = [\"true\"]\n");
  }
  void open(const std::string& name) { project_.file(name + ".go", ""); }
  // The run stands still at the question.
  std::unique_ptr<Screen> failed(const std::string& options = "") {
    auto screen = std::make_unique<Screen>(project_, 100, 40, "build --sandbox none -j 2 " + options);
    EXPECT_TRUE(screen->shows(kAboutFailure)) << screen->text();
    return screen;
  }
  std::unique_ptr<Screen> interrupted(const std::string& targets = "long other") {
    auto screen = std::make_unique<Screen>(project_, 100, 40, "build --sandbox none -j 2 " + targets);
    EXPECT_TRUE(screen->shows("build long")) << screen->text();
    screen->press("C-c");
    EXPECT_TRUE(screen->shows(kAboutInterrupt)) << screen->text();
    return screen;
  }
  std::string events() const {
    const auto projects = std::filesystem::directory_iterator(project_.cache() + "/projects")->path();
    return content(projects / "runs/1/events.jsonl");
  }
  bool told(const std::string& what) const { return events().find(what) != std::string::npos; }

  TempProject project_;
};

TEST_F(PromptTest, continue_goes_on_with_what_does_not_need_it) {
  const auto screen = failed();
  EXPECT_TRUE(told(R"("ev":"job.suspend")")) << events();
  EXPECT_FALSE(told(R"("ev":"job.resume")")) << events();
  screen->line("cont");
  ASSERT_TRUE(eventually([&] { return told(R"("ev":"job.resume")"); })) << events();
  open("long");
  EXPECT_EQ(screen->exit(), 1);
  EXPECT_NE(screen->history().find("2 built, 1 failed, 1 not finished"), std::string::npos) << screen->text();
  EXPECT_NE(screen->history().find("not done  app: a dependency failed (bad)"), std::string::npos)
      << screen->text();
}

TEST_F(PromptTest, quit_lets_running_jobs_end_and_starts_nothing_new) {
  const auto screen = failed();
  screen->line("q");
  open("long");
  EXPECT_EQ(screen->exit(), 1);
  EXPECT_NE(screen->history().find("1 built, 1 failed, 2 not finished"), std::string::npos) << screen->text();
}

TEST_F(PromptTest, terminate_stops_running_jobs) {
  const auto screen = failed();
  screen->line("t");
  EXPECT_EQ(screen->exit(), 1);
  EXPECT_NE(screen->history().find("failed: 1 failed, 3 not finished"), std::string::npos) << screen->text();
}

TEST_F(PromptTest, retry_tries_again_and_the_run_may_succeed) {
  const auto screen = failed();
  open("bad");
  screen->line("r");
  ASSERT_TRUE(eventually([&] { return told(R"("element":"bad","queue":"build","attempt":2)"); })) << events();
  open("long");
  EXPECT_EQ(screen->exit(), 0) << screen->text();
  EXPECT_NE(screen->history().find("succeeded: 4 built"), std::string::npos) << screen->text();
}

TEST_F(PromptTest, a_retry_that_fails_is_asked_about_again) {
  const auto screen = failed();
  screen->line("retry");
  ASSERT_TRUE(screen->shows([](const auto& lines) {
    return std::count_if(lines.begin(), lines.end(), [](const auto& line) {
             return line.find(kAboutFailure) != line.npos || line.find("log or shell?") != line.npos;
           }) == 2;
  })) << screen->text();
  screen->line("terminate");
  EXPECT_EQ(screen->exit(), 1);
}

TEST_F(PromptTest, log_shows_what_it_wrote_and_asks_again) {
  const auto screen = failed();
  screen->line("l");
  ASSERT_TRUE(screen->shows("build bad, run 1")) << screen->text();
  ASSERT_TRUE(screen->shows([](const auto& lines) {
    return !lines.empty() && lines.back().find("log or shell?") != std::string::npos;
  })) << screen->text();
  screen->line("t");
  EXPECT_EQ(screen->exit(), 1);
}

TEST_F(PromptTest, shell_opens_where_it_failed_and_asks_again) {
  const auto screen = failed();
  screen->line("s");
  ASSERT_TRUE(screen->shows("[weir bad]")) << screen->text();
  screen->line("echo in $WEIR_OUT");
  ASSERT_TRUE(screen->shows("in /")) << screen->text();
  screen->press("C-c");
  screen->line("exit");
  ASSERT_TRUE(screen->shows([](const auto& lines) {
    return !lines.empty() && lines.back().find("log or shell?") != std::string::npos;
  })) << "Ctrl-C in the shell is the shell's\n"
      << screen->text();
  screen->line("t");
  EXPECT_EQ(screen->exit(), 1);
}

TEST_F(PromptTest, what_is_no_answer_is_asked_again_and_help_explains) {
  const auto screen = failed();
  screen->line("nonsense");
  ASSERT_TRUE(screen->shows("\"nonsense\" is none of them")) << screen->text();
  screen->line("?");
  ASSERT_TRUE(screen->shows("try it again with the same inputs")) << screen->text();
  screen->line("");
  screen->press("C-d");
  open("long");
  EXPECT_EQ(screen->exit(), 1) << "the end of input is quit";
}

TEST_F(PromptTest, who_said_what_to_do_about_failures_is_not_asked) {
  Screen screen(project_, 100, 40, "build --sandbox none --on-error terminate");
  EXPECT_EQ(screen.exit(), 1);
  EXPECT_EQ(screen.history().find("or shell?"), std::string::npos) << screen.history();
}

TEST_F(PromptTest, without_a_person_nothing_is_asked) {
  open("long");
  Screen screen(project_, 100, 40, "build --sandbox none < /dev/null");
  EXPECT_EQ(screen.exit(), 1);
  EXPECT_EQ(screen.history().find("or shell?"), std::string::npos) << screen.history();
}

TEST_F(PromptTest, ctrl_c_suspends_and_asks_and_continue_goes_on) {
  const auto screen = interrupted();
  EXPECT_TRUE(told(R"("ev":"job.suspend")")) << events();
  screen->line("c");
  ASSERT_TRUE(eventually([&] { return told(R"("ev":"job.resume")"); })) << events();
  open("long");
  EXPECT_EQ(screen->exit(), 0) << screen->text();
}

TEST_F(PromptTest, ctrl_c_and_quit_lets_running_jobs_end) {
  const auto screen = interrupted();
  screen->line("quit");
  open("long");
  EXPECT_EQ(screen->exit(), 130) << screen->text();
  EXPECT_NE(screen->history().find("cancelled: 1 built, 1 not finished"), std::string::npos)
      << screen->text();
}

TEST_F(PromptTest, ctrl_c_and_terminate_stops_everything) {
  const auto screen = interrupted();
  screen->line("terminate");
  EXPECT_EQ(screen->exit(), 130) << screen->text();
}

TEST_F(PromptTest, ctrl_c_twice_stops_everything) {
  const auto screen = interrupted();
  screen->press("C-c");
  EXPECT_EQ(screen->exit(), 130) << screen->text();
  EXPECT_NE(screen->history().find("cancelled: "), std::string::npos) << screen->text();
}

TEST_F(PromptTest, ctrl_c_at_the_question_about_a_failure_stops_everything) {
  const auto screen = failed();
  screen->press("C-c");
  EXPECT_EQ(screen->exit(), 130) << screen->text();
  EXPECT_EQ(screen->history().find("? ^C["), std::string::npos)
      << "nothing of the region is left behind the question\n"
      << screen->history();
}

TEST_F(PromptTest, ctrl_z_at_the_question_and_fg_ask_again) {
  const auto screen = interrupted();
  screen->press("C-z");
  EXPECT_GT(screen->exit(), 128) << screen->text();
  screen->command("fg");
  ASSERT_TRUE(screen->shows([](const auto& lines) {
    return !lines.empty() && lines.back().find("quit or terminate?") != std::string::npos;
  })) << screen->text();
  screen->line("t");
  EXPECT_EQ(screen->exit(), 130) << screen->text();
}

TEST_F(PromptTest, in_the_background_the_question_waits_for_fg) {
  project_.file("weir.toml",
                "weir = 1\n[project]\nname = \"asks\"\n[element.late]\nkind = \"script\"\nconfig.commands = "
                "['''while ! [ -e " +
                    project_.path() + "/late.go ]; do sleep 0.01; done; exit 4''']\n");
  Screen screen(project_, 100, 40, "build --sandbox none");
  ASSERT_TRUE(screen.shows("build late")) << screen.text();
  screen.press("C-z");
  EXPECT_GT(screen.exit(), 128);
  screen.command("clear; bg");
  ASSERT_TRUE(eventually([&] { return told(R"("ev":"job.resume")"); })) << events();
  open("late");
  ASSERT_TRUE(eventually([&] { return told(R"("ev":"run.ask")"); })) << events();
  EXPECT_EQ(screen.text().find("or shell?"), std::string::npos) << screen.text();
  EXPECT_EQ(screen.exit(), 0) << "the shell has the terminal";
  screen.command("fg");
  ASSERT_TRUE(screen.shows("or shell?")) << screen.text();
  EXPECT_NE(screen.text().find("FAILED    build late"), std::string::npos) << "what it is about\n"
                                                                           << screen.text();
  screen.line("t");
  EXPECT_EQ(screen.exit(), 1) << screen.text();
}

TEST_F(PromptTest, a_question_that_is_sent_to_the_background_stops_there_and_is_asked_again_by_fg) {
  const auto screen = interrupted();
  screen->press("C-z");
  EXPECT_GT(screen->exit(), 128) << screen->text();
  screen->command("clear; bg");
  EXPECT_EQ(screen->exit(), 0);
  screen->command("jobs");
  ASSERT_TRUE(eventually([&] {
    screen->command("clear; jobs");
    return screen->exit() == 0 && screen->text().find("Stopped") != std::string::npos;
  })) << screen->text();
  EXPECT_EQ(screen->text().find("or terminate?"), std::string::npos) << screen->text();
  screen->command("fg");
  ASSERT_TRUE(screen->shows("or terminate?")) << screen->text();
  screen->line("t");
  EXPECT_EQ(screen->exit(), 130) << screen->text();
}

// On a terminal that cannot draw, questions are asked all the same.
TEST_F(PromptTest, a_dumb_terminal_asks_too) {
  Terminal terminal(project_,
                    {"/usr/bin/env", "-u", "CI", WEIR_BINARY, "build", "--sandbox", "none", "-j", "2"});
  ASSERT_TRUE(terminal.see("log or shell? "));
  terminal.type("terminate\n");
  EXPECT_EQ(terminal.wait(), 1) << terminal.screen();
}

}  // namespace
}  // namespace weir::test
