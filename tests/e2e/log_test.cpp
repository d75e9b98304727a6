// weir log, on runs of the real weir.
#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "core/base/fd.h"
#include "tests/e2e/project_texts.h"
#include "tests/e2e/terminal.h"
#include "tests/e2e/weir_process.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

std::string runs_folder(const TempProject& project) {
  return fs::directory_iterator(project.cache() + "/projects")->path().string() + "/runs";
}

class Log : public ::testing::Test {
 protected:
  // Builds without a sandbox, which is all the same to logs.
  int build(const std::string& elements, std::vector<std::string> more = {}) {
    project_.file("weir.toml", kHead + elements);
    std::vector<std::string> words{"-q", "build", "--sandbox", "none", "--on-error", "continue"};
    words.insert(words.end(), more.begin(), more.end());
    return weir(project_, words).exit;
  }
  TempProject project_;
};

TEST_F(Log, shows_what_an_element_wrote_as_it_is) {
  ASSERT_EQ(build(script("a", R"(printf '\033[31mred\033[2J\r\001\n')") + script("b", "echo other")), 0);
  const auto result = weir(project_, {"log", "a"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out, "\x1b[31mred\x1b[2J\r\x01\n");
  EXPECT_TRUE(says(result.err, "build a, run 1")) << result.err;
}

TEST_F(Log, a_terminal_gets_colours_and_no_other_sequences) {
  ASSERT_EQ(build(script("a", R"(printf '\033[31mred\033[0m\033[2J\033]0;title\007\n')")), 0);
  const auto result = weir(project_, {"log", "a"}, Stdout::terminal);
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out, "\x1b[31mred\x1b[0m\n\x1b[0m");
}

TEST_F(Log, a_terminal_gets_every_byte_if_that_is_asked_for) {
  ASSERT_EQ(build(script("a", R"(printf '\033[31mred\033[0m\033[2J\n')")), 0);
  EXPECT_EQ(weir(project_, {"log", "a", "--raw"}, Stdout::terminal).out, "\033[31mred\033[0m\033[2J\n");
  EXPECT_EQ(weir(project_, {"log", "a"}).out, "\033[31mred\033[0m\033[2J\n") << "so do pipes";
}

// Not of a job's output alone: names of folders, answers of servers, words of git.
TEST(Terminal, gets_no_escape_sequences_from_names) {
  TempProject project;
  const std::string folder = "x\033]0;title\007\033[2Jy";
  project.file(folder + "/weir.toml", "weir = 1\n");
  for (const auto to : {Stdout::pipe, Stdout::terminal}) {
    const auto shown = weir(project, {"-C", folder, "doctor"}, to);
    EXPECT_EQ(shown.out.find('\033'), std::string::npos) << shown.out;
    EXPECT_TRUE(says(shown.out, R"(/x\x1b]0;title\x07\x1b[2Jy)")) << shown.out;
  }
}

TEST_F(Log, a_terminal_gets_no_colours_if_none_are_wanted) {
  ASSERT_EQ(build(script("a", R"(printf '\033[31mred\033[0m\n')")), 0);
  project_.file(".config/weir/config.toml", "[ui]\ncolor = \"never\"\n");
  EXPECT_EQ(weir(project_, {"log", "a"}, Stdout::terminal).out, "red\n");
}

TEST_F(Log, takes_the_newest_run_in_which_the_element_had_a_job) {
  const auto b = script("b", "echo b");
  ASSERT_EQ(build(script("a", "echo first") + b, {"a"}), 0);
  ASSERT_EQ(build(script("a", "echo second") + b, {"a"}), 0);
  ASSERT_EQ(build(script("a", "echo third") + b, {"b"}), 0);
  EXPECT_EQ(weir(project_, {"log", "a"}).out, "second\n");
  EXPECT_EQ(weir(project_, {"log", "a", "--run", "1"}).out, "first\n");
  const auto none = weir(project_, {"log", "a", "--run", "3"});
  EXPECT_EQ(none.exit, 2);
  EXPECT_TRUE(says(none.err, "had no job in run 3")) << none.err;
}

TEST_F(Log, runs_are_ordered_by_number_and_not_by_name) {
  for (int run = 1; run <= 10; ++run) ASSERT_EQ(build(script("a", "echo " + std::to_string(run))), 0);
  EXPECT_EQ(weir(project_, {"log", "a"}).out, "10\n");
}

TEST_F(Log, without_an_element_all_failed_jobs_of_the_newest_run) {
  const auto all =
      script("a", "echo from a; exit 3") + script("b", "echo from b") + script("c", "echo from c; exit 4");
  ASSERT_EQ(build(all), 1);
  const auto result = weir(project_, {"log"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_TRUE(says(result.out, "from a\n") && says(result.out, "from c\n")) << result.out;
  EXPECT_FALSE(says(result.out, "from b")) << result.out;
  EXPECT_TRUE(says(result.err, "exit 3") && says(result.err, "exit 4")) << result.err;

  ASSERT_EQ(build(script("a", "echo mended")), 0);
  const auto mended = weir(project_, {"log"});
  EXPECT_EQ(mended.exit, 0);
  EXPECT_EQ(mended.out, "");
  EXPECT_TRUE(says(mended.err, "no job failed in run 2")) << mended.err;
  EXPECT_TRUE(says(weir(project_, {"log", "--run", "1"}).out, "from a\n"));
}

TEST_F(Log, the_path_instead_of_the_text) {
  ASSERT_EQ(build(script("a", "echo hello")), 0);
  const auto result = weir(project_, {"log", "a", "--path"});
  EXPECT_EQ(result.out, runs_folder(project_) + "/1/logs/0.log\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Log, a_job_that_wrote_nothing_is_no_mistake) {
  ASSERT_EQ(build(script("a", "true")), 0);
  const auto result = weir(project_, {"log", "a"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(says(result.err, "wrote nothing")) << result.err;
}

TEST_F(Log, by_queue) {
  project_.file("src/file", "x");
  ASSERT_EQ(build(script("a", "echo built", "source = [{kind = \"local\", path = \"src\"}]")), 0);
  EXPECT_EQ(weir(project_, {"log", "a", "--queue", "build"}).out, "built\n");
  const auto push = weir(project_, {"log", "a", "--queue", "push"});
  EXPECT_EQ(push.exit, 2) << push.err;
}

TEST_F(Log, a_broken_project_still_shows_its_runs) {
  ASSERT_EQ(build(script("a", "echo hello")), 0);
  const std::string unknown_key = kHead + "[element.a]\nkindd = 1\n", newer = "weir = 99\n";
  const std::string no_toml = "weir = 1\n[project\n";
  for (const auto& text : {unknown_key, no_toml, newer}) {
    project_.file("weir.toml", text);
    const auto result = weir(project_, {"log", "a"});
    EXPECT_EQ(result.exit, 0) << text << result.err;
    EXPECT_EQ(result.out, "hello\n") << text;
    EXPECT_TRUE(says(result.err, "has errors")) << result.err;
  }
}

// Events of a run that was killed: an attempt that was tried again, and a line that was never finished.
TEST_F(Log, an_attempt_that_was_tried_again_is_no_failure_and_a_torn_line_is_passed_over) {
  ASSERT_EQ(build(script("a", "true")), 0);
  const auto run = runs_folder(project_) + "/2";
  fs::create_directories(run + "/logs");
  std::ofstream(run + "/events.jsonl")
      << R"({"v":1,"ev":"job.start","job":0,"element":"a","queue":"build","attempt":1})"
         "\n"
      << R"({"v":1,"ev":"job.end","job":0,"element":"a","queue":"build","result":"failed","failure":"network"})"
         "\n"
      << R"({"v":1,"ev":"job.start","job":1,"element":"a","queue":"build","attempt":2})"
         "\n"
      << R"({"v":1,"ev":"job.end","job":1,"element":"a","que)";
  std::ofstream(run + "/logs/0.log") << "first attempt\n";
  std::ofstream(run + "/logs/1.log") << "second attempt\n";
  const auto result = weir(project_, {"log", "a"});
  EXPECT_EQ(result.out, "second attempt\n") << result.err;
  EXPECT_TRUE(says(result.err, "no end is known")) << result.err;
  const auto failed = weir(project_, {"log"});
  EXPECT_EQ(failed.out, "");
  EXPECT_TRUE(says(failed.err, "no job failed in run 2")) << failed.err;
}

// A run whose jobs wait for a file each; what follows them is another weir.
class FollowedLog : public Log {
 protected:
  std::string until(const std::string& file) const {
    return "while [ ! -e '" + project_.path() + "/" + file + "' ]; do sleep 0.01; done";
  }
  void start(const std::string& elements) {
    project_.file("weir.toml", kHead + elements);
    run_ = std::make_unique<WeirProcess>(
        project_, std::vector<std::string>{"-q", "build", "--sandbox", "none", "--events", "-"});
  }
  bool logged(const std::string& text) const { return says(weir(project_, {"log", "a"}).out, text); }
  std::unique_ptr<WeirProcess> run_;
};

TEST_F(FollowedLog, goes_on_until_the_job_ends) {
  start(script("a", "echo one; " + until("go") + "; echo two; printf three") + script("b", until("end")));
  ASSERT_NE(run_->wait_for_line("job.process"), "");
  ASSERT_TRUE(eventually([&] { return logged("one\n"); }));
  const auto now = weir(project_, {"log", "a"});
  EXPECT_TRUE(says(now.err, "(running)")) << now.err;
  WeirProcess follower(project_, {"log", "-f", "a"});
  ASSERT_NE(follower.wait_for_line("one"), "");
  project_.file("go", "");
  const auto followed = follower.wait();
  EXPECT_EQ(followed.exit, 0) << followed.err;
  EXPECT_EQ(followed.out, "one\ntwo\nthree");
  EXPECT_TRUE(says(followed.err, "(running):\n") && says(followed.err, "(succeeded)\n")) << followed.err;
  project_.file("end", "");
  EXPECT_EQ(run_->wait().exit, 0);
  EXPECT_EQ(weir(project_, {"log", "--follow", "a"}).out, "one\ntwo\nthree")
      << "of a run that is over: what there is";
}

TEST_F(FollowedLog, waits_for_a_job_that_has_not_started) {
  start(script("a", until("go")) + script("b", "echo from b", "depends = [\"a\"]"));
  ASSERT_NE(run_->wait_for_line("job.process"), "");
  Terminal follower(project_, {WEIR_BINARY, "-C", project_.path(), "log", "-f", "b"});
  ASSERT_TRUE(follower.see("waiting for a job of b in run 1")) << follower.screen();
  project_.file("go", "");
  EXPECT_TRUE(follower.see("from b")) << follower.screen();
  EXPECT_EQ(follower.wait(), 0);
  EXPECT_EQ(run_->wait().exit, 0);
}

TEST_F(FollowedLog, a_job_that_is_tried_again_is_followed_by_its_next_attempt) {
  ASSERT_EQ(build(script("a", "true")), 0);
  const auto run = runs_folder(project_) + "/2";
  fs::create_directories(run + "/logs");
  std::ofstream(run + "/logs/0.log") << "first\n";
  std::ofstream(run + "/logs/1.log") << "second\n";
  const UniqueFd lock(::open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  std::ofstream events(run + "/events.jsonl");
  events << R"({"v":1,"ev":"run.start","run":2,"args":["build"]})"
            "\n"
         << R"({"v":1,"ev":"run.plan","elements":1,"queues":["fetch","build"]})"
            "\n"
         << R"({"v":1,"ev":"job.start","job":0,"element":"a","queue":"build","attempt":1})"
            "\n"
         << std::flush;
  WeirProcess follower(project_, {"log", "-f", "a"});
  ASSERT_NE(follower.wait_for_line("first"), "");
  events
      << R"({"v":1,"ev":"job.end","job":0,"element":"a","queue":"build","result":"failed","failure":"network"})"
         "\n"
      << R"({"v":1,"ev":"job.retry","job":0,"element":"a","queue":"build","attempt":2})"
         "\n"
      << R"({"v":1,"ev":"job.start","job":1,"element":"a","queue":"build","attempt":2})"
         "\n"
      << std::flush;
  ASSERT_NE(follower.wait_for_line("second"), "");
  events
      << R"({"v":1,"ev":"job.end","job":1,"element":"a","queue":"build","result":"failed","failure":"network"})"
         "\n"
      << R"({"v":1,"ev":"element.state","element":"a","queue":"build","status":"failed"})"
         "\n"
      << std::flush;
  const auto followed = follower.wait();
  EXPECT_EQ(followed.exit, 0);
  EXPECT_EQ(followed.out, "first\nsecond\n");
}

TEST_F(FollowedLog, ends_with_the_weir_that_was_killed) {
  start(script("a", "echo one; " + until("never")));
  ASSERT_NE(run_->wait_for_line("job.process"), "");
  WeirProcess follower(project_, {"log", "-f", "a"});
  ASSERT_NE(follower.wait_for_line("one"), "");
  run_->signal(SIGKILL);
  const auto followed = follower.wait();
  EXPECT_EQ(followed.exit, 0);
  EXPECT_TRUE(says(followed.err, "no end is known")) << followed.err;
}

TEST_F(FollowedLog, ends_when_nobody_reads_any_more) {
  start(script("a", "echo one; " + until("go")));
  ASSERT_NE(run_->wait_for_line("job.process"), "");
  // head has read its line and is gone, while the job says nothing.
  EXPECT_EQ(run_program(project_.path(), {"sh", "-c",
                                          "WEIR_CACHE_DIR='" + project_.cache() +
                                              "' '" WEIR_BINARY "' -q log -f a | head -n 1"}),
            "one\n");
  project_.file("go", "");
  EXPECT_EQ(run_->wait().exit, 0);
}

TEST_F(FollowedLog, what_cannot_be_followed_is_told_at_once) {
  start(script("a", until("go")));
  ASSERT_NE(run_->wait_for_line("job.process"), "");
  EXPECT_TRUE(says(weir(project_, {"log", "-f", "aa"}).err, "there is no element"));
  const auto queue = weir(project_, {"log", "-f", "a", "--queue", "biuld"});
  EXPECT_EQ(queue.exit, 2);
  EXPECT_TRUE(says(queue.err, "did you mean \"build\"?")) << queue.err;
  EXPECT_EQ(weir(project_, {"log", "-f"}).exit, 2) << "no element";
  EXPECT_EQ(weir(project_, {"log", "-f", "a", "--run", "9"}).exit, 2);
  project_.file("go", "");
  EXPECT_EQ(run_->wait().exit, 0);
}

TEST_F(Log, bad_input_is_exit_2_with_what_to_do) {
  project_.file("weir.toml", kHead + script("library", "true"));
  const auto none = weir(project_, {"log"});
  EXPECT_EQ(none.exit, 2);
  EXPECT_TRUE(says(none.err, "no runs yet") && says(none.err, "weir build")) << none.err;

  ASSERT_EQ(build(script("library", "true") + script("never", "true"), {"library"}), 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> all = {
      {{"log", "libary"}, "did you mean \"library\"?"},
      {{"log", "nevr"}, "did you mean \"never\"?"},
      {{"log", "never"}, "had no job"},
      {{"log", "library", "--queue", "biuld"}, "did you mean \"build\"?"},
      {{"log", "--queue", "biuld"}, "did you mean \"build\"?"},
      {{"log", "--run", "7"}, "the newest is 1"},
      {{"log", "--run", "x"}, "--run"},
      {{"log", "library", "more"}, "\"more\""},
  };
  for (const auto& [arguments, said] : all) {
    const auto result = weir(project_, arguments);
    EXPECT_EQ(result.exit, 2) << said << result.err;
    EXPECT_TRUE(says(result.err, said)) << result.err;
    EXPECT_EQ(result.out, "");
  }
  TempProject nowhere;
  const auto outside = weir(nowhere, {"log"});
  EXPECT_EQ(outside.exit, 2);
  EXPECT_TRUE(says(outside.err, "weir.toml")) << outside.err;
}

}  // namespace
}  // namespace weir::test
