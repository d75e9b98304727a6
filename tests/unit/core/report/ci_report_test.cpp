#include "core/report/ci_report.h"

#include "core/report/github.h"
#include "core/report/gitlab.h"
#include "tests/support/github_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/core/report/told_run.h"

namespace weir {
namespace {

using std::chrono::seconds;

class CiReportTest : public testing::Test {
 protected:
  // 2026-11-15 10:00:00 UTC.
  static constexpr auto kStart = WallTime(seconds(1794736800));

  void begin(std::unique_ptr<CiHost> host = std::make_unique<CiHost>(), Volume volume = Volume::normal) {
    CiOptions options{{}, kStart};
    options.report.volume = volume;
    options.report.failures.log_directory = logs_.path();
    options.report.failures.tail_lines = 2;
    options.report.failures.next_commands = false;
    options.longest_log = longest_log_;
    file_.reset(std::fopen((logs_ / "out").c_str(), "w"));
    report_.emplace(file_.get(), std::move(options), std::move(host), clock_);
    run_.emplace(std::vector<Observer*>{&*report_});
  }
  void at(seconds since_start) {
    clock_.advance_to(Time() + since_start);
    run_->now = since_start;
  }
  std::string text() { return logs_.read("out"); }
  // What was written since the last question.
  std::string news() {
    const auto all = text();
    return all.substr(std::exchange(seen_, all.size()));
  }
  // As the timer of a loop does, until this time.
  void beats_until(seconds since_start) {
    for (auto next = report_->next_call(); next && *next <= Time() + since_start; next = report_->next_call())
      report_->call(*next);
    at(since_start);
  }

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  TemporaryFolder logs_;
  std::uint64_t longest_log_ = 1024 * 1024;
  VirtualClock clock_;
  std::unique_ptr<std::FILE, Close> file_;
  std::optional<CiReport> report_;
  std::optional<ToldRun> run_;
  std::size_t seen_ = 0;
  std::string text_;
};

TEST_F(CiReportTest, every_line_begins_with_the_time_of_day) {
  begin();
  run_->start();
  EXPECT_EQ(news(), "10:00:00Z run 7 of p: weir build app, 2 cores, weir 1.2.3\n");
  at(seconds(61));
  run_->state("app", "ready");
  run_->state("lib", "skip", "cached");
  run_->job(1, "app");
  EXPECT_EQ(news(), "10:01:01Z [1/2] start     build app\n");
  at(seconds(4000));
  run_->ended(1, "app");
  run_->state("app", "done");
  EXPECT_EQ(news(), "11:06:40Z [2/2] done      build app 1.5s\n");
  run_->tell(event::Diagnostic{"warning", "one\ntwo\x1b[31m"});
  EXPECT_EQ(news(), "11:06:40Z warning: one\n11:06:40Z two\n");
  run_->end();
  EXPECT_EQ(news(), "11:06:40Z succeeded: nothing to do in 2.0s\n");
}

TEST_F(CiReportTest, a_heartbeat_after_30_s_of_silence_says_what_runs_and_why_the_next_one_waits) {
  begin();
  EXPECT_FALSE(report_->next_call()) << "there is no run yet";
  run_->start();
  run_->job(1, "app");
  at(seconds(10));
  run_->job(2, "lib", "fetch");
  run_->tell(event::JobWait{3, "big", "build", "token", {"memory"}, 4, 1});
  news();
  EXPECT_EQ(report_->next_call(), Time() + seconds(40));
  beats_until(seconds(39));
  EXPECT_EQ(news(), "");
  beats_until(seconds(75));
  EXPECT_EQ(news(),
            "10:00:40Z [0/0] running   build app for 40.0s, fetch lib for 30.0s; next build big waits for "
            "memory: needs 4, 1 free\n"
            "10:01:10Z [0/0] running   build app for 1m10s, fetch lib for 1m00s; next build big waits for "
            "memory: needs 4, 1 free\n");
  run_->tell(event::JobSuspend{1});
  run_->ended(2, "lib", "succeeded", {}, "fetch");
  news();
  EXPECT_EQ(report_->next_call(), Time() + seconds(105)) << "what is written puts it off";
  beats_until(seconds(105));
  EXPECT_EQ(news(),
            "10:01:45Z [0/0] running   build app for 1m15s (suspended); next build big waits for memory: "
            "needs 4, 1 free\n");
  run_->end();
  EXPECT_FALSE(report_->next_call()) << "the run is over";
}

TEST_F(CiReportTest, an_event_that_writes_nothing_does_not_put_the_heartbeat_off) {
  begin();
  run_->start();
  at(seconds(29));
  run_->state("app", "wait", "a dependency is not built yet", "lib");
  EXPECT_EQ(report_->next_call(), Time() + seconds(30));
}

TEST_F(CiReportTest, a_heartbeat_names_those_that_run_longest_and_counts_the_rest) {
  begin();
  run_->start();
  for (std::uint64_t id = 0; id < 11; ++id) {
    at(seconds(id));
    const auto name = "e" + std::to_string(id);
    run_->job(id, name);
  }
  news();
  beats_until(seconds(40));
  const auto beat = news();
  EXPECT_NE(beat.find("running   build e0 for 40.0s, build e1 for 39.0s, "), beat.npos) << beat;
  EXPECT_NE(beat.find("build e7 for 33.0s and 3 more\n"), beat.npos) << beat;
}

TEST_F(CiReportTest, a_failure_is_told_at_once_and_its_whole_log_at_the_end) {
  logs_.write("4.log", "compiling\n\x1b[1mmain.c:3:5: error: bad\x1b[0m\none\ntwo\n");
  begin();
  run_->start();
  run_->fails(4, "app");
  const auto at_once = news();
  EXPECT_NE(at_once.find("Z FAILED    build app: a command failed with exit code 2, after 1.5s (command)\n"),
            at_once.npos)
      << at_once;
  EXPECT_NE(at_once.find("  error     main.c:3:5: error: bad\n"), at_once.npos) << at_once;
  EXPECT_NE(at_once.find("the last 2 of 4 lines\n"), at_once.npos) << at_once;
  EXPECT_EQ(at_once.find("compiling"), at_once.npos) << "only an excerpt";
  run_->end("failed", 1);
  EXPECT_EQ(news(),
            "10:00:00Z ===== log of build app, 49 B: " + logs_ / "4.log" +
                " =====\n"
                "10:00:00Z | compiling\n"
                "10:00:00Z | main.c:3:5: error: bad\n"
                "10:00:00Z | one\n"
                "10:00:00Z | two\n"
                "10:00:00Z ===== end of the log of build app =====\n"
                "10:00:00Z failed    build app: a command failed with exit code 2, after 1.5s (command)\n"
                "10:00:00Z failed: 1 failed in 2.0s\n");
}

TEST_F(CiReportTest, of_a_log_that_is_too_long_both_ends_and_where_all_of_it_is) {
  longest_log_ = 40;
  std::string log;
  for (int i = 0; i < 100; ++i) log += "line " + std::to_string(i) + "\n";
  logs_.write("4.log", log);
  begin();
  run_->start();
  run_->fails(4, "app");
  news();
  run_->end("failed", 1);
  const auto said = news();
  EXPECT_NE(said.find("| line 0\n10:00:00Z | line 1\n"), said.npos) << said;
  EXPECT_NE(said.find("| line 99\n"), said.npos) << said;
  EXPECT_NE(said.find("750 B are left out here: the whole log of build app is " + logs_ / "4.log"), said.npos)
      << said;
  EXPECT_EQ(said.find("line 50"), said.npos) << said;
}

TEST_F(CiReportTest, a_log_without_newlines_is_no_danger) {
  longest_log_ = 64 * 1024 * 1024;
  logs_.write("4.log", std::string(20 * 1024 * 1024, '~'));
  begin();
  run_->start();
  run_->fails(4, "app");
  run_->end("failed", 1);
  const auto said = text();
  EXPECT_EQ(std::count(said.begin(), said.end(), '~'), 20 * 1024 * 1024 + 500) << "all of it, and an excerpt";
}

TEST_F(CiReportTest, no_escape_byte_whatever_jobs_and_names_hold) {
  logs_.write("4.log", std::string("\x1b[2J\x1b]0;title\a\x1b(B\xc2\x9b"
                                   "31m\x1b") +
                           "\n\x1b");
  begin(std::make_unique<CiHost>(), Volume::verbose);
  run_->start("p\x1b[31m\n");
  run_->state("a\x1b[1m\nb", "skip", "re\x1bson");
  run_->tell(event::JobWait{9, "w\x1b\n", "q\x1b", "token", {"n\x1b"}, 1, 0});
  run_->fails(4, "app\x1b[31m\n\r");
  beats_until(seconds(31));
  run_->end("failed", 1);
  for (const auto& line : {text()}) {
    EXPECT_EQ(line.find('\x1b'), line.npos) << line;
    EXPECT_EQ(line.find("\xc2\x9b"), line.npos) << line;
    EXPECT_EQ(line.find('\r'), line.npos) << line;
  }
  std::string_view rest = text_ = text();
  while (!rest.empty()) {
    EXPECT_EQ(rest.substr(0, 6), "10:00:") << rest;
    rest.remove_prefix(rest.find('\n') + 1);
  }
}

TEST_F(CiReportTest, quiet_tells_failures_and_nothing_of_what_goes_well) {
  logs_.write("4.log", "why\n");
  begin(std::make_unique<CiHost>(), Volume::quiet);
  run_->start();
  run_->job(1, "lib");
  run_->ended(1, "lib");
  EXPECT_EQ(text(), "");
  EXPECT_FALSE(report_->next_call());
  run_->fails(4, "app");
  run_->end("failed", 1);
  EXPECT_NE(text().find("| why\n"), std::string::npos) << text();
  EXPECT_NE(text().find("failed: 1 failed"), std::string::npos) << text();
}

std::unique_ptr<CiHost> github() {
  const auto find = [](const std::string&, const std::string& path) {
    return path == "main.c" ? std::optional<std::string>("src/a,b:c.c") : std::nullopt;
  };
  return std::make_unique<GithubHost>(find,
                                      [count = 0]() mutable { return "token" + std::to_string(++count); });
}

TEST_F(CiReportTest, github_gets_an_error_with_its_place_and_warnings) {
  logs_.write("4.log", "main.c:3:5: error: 100%, or: more\n");
  begin(github());
  run_->start();
  run_->tell(event::Diagnostic{"warning", "the remote\nis slow, 50%"});
  run_->job(1, "lib");
  run_->ended(1, "lib");
  run_->fails(4, "app");
  run_->fails(5, "tool", "timeout");
  run_->end("failed", 1);
  test::GithubRunner runner;
  runner.read(text());
  ASSERT_EQ(runner.commands.size(), 7u) << text();
  EXPECT_EQ(runner.commands[0].name, "warning");
  EXPECT_EQ(runner.commands[0].message, "the remote\nis slow, 50%");
  EXPECT_EQ(runner.commands[1].name, "group");
  EXPECT_EQ(runner.commands[2].name, "endgroup");
  const auto& error = runner.commands[3];
  EXPECT_EQ(error.name, "error");
  EXPECT_EQ(error.properties,
            (std::map<std::string, std::string>{
                {"file", "src/a,b:c.c"}, {"line", "3"}, {"col", "5"}, {"title", "build app failed"}}));
  EXPECT_EQ(error.message,
            "main.c:3:5: error: 100%, or: more\nbuild app: a command failed with exit code 2, after 1.5s "
            "(command)");
  EXPECT_EQ(runner.commands[4].name, "group");
  EXPECT_EQ(runner.commands[5].name, "endgroup");
  EXPECT_EQ(runner.commands[6].properties,
            (std::map<std::string, std::string>{{"title", "build tool failed"}}));
  EXPECT_FALSE(runner.stopped()) << "what follows weir in the step may use commands";
}

TEST_F(CiReportTest, nothing_that_a_job_wrote_or_that_is_a_name_is_a_command_of_github) {
  const std::string evil =
      "::error::evil\n  ::set-env name=A::B\n##[add-path]/evil\ntext "
      "##[error]evil\n::token1::\n::token2::\n::stop-commands::x\n::x::\n"
      "::endgroup::\n::group::evil\n\r::error::evil\r\n";
  logs_.write("4.log", evil);
  begin(github(), Volume::verbose);
  run_->start("::error::p");
  run_->job(1, "::error::name\n::error::name");
  run_->ended(1, "##[error]name");
  run_->state("::add-mask::x", "skip", "\n::error::reason");
  run_->tell(event::Diagnostic{"warning", "x\n::error::evil\n##[error]evil"});
  run_->tell(event::Diagnostic{"note", "x\n::error::evil\n##[error]evil"});
  run_->fails(4, "\n::error::app");
  beats_until(seconds(60));
  run_->end("failed", 1);
  test::GithubRunner runner;
  runner.read(text());
  std::vector<std::string> names;
  for (const auto& command : runner.commands)
    if (command.name != "group" && command.name != "endgroup") names.push_back(command.name);
  EXPECT_EQ(names, (std::vector<std::string>{"warning", "error"})) << text();
  for (const auto& line : runner.folded)
    EXPECT_EQ(line.find("FAILED"), line.npos) << "a failure is never folded";
  for (const auto& line : runner.folded) EXPECT_EQ(line.find("| "), line.npos) << "nor is its log";
  EXPECT_FALSE(runner.stopped());
}

TEST_F(CiReportTest, sections_of_gitlab_hold_progress_and_never_a_failure) {
  logs_.write("4.log", "section_start:1:evil\r\x1b[0Kevil\nsection_end:1:weir_p_q_1\r\x1b[0K\n");
  begin(std::make_unique<GitlabHost>("p q"));
  run_->start();
  run_->job(1, "lib");
  run_->ended(1, "lib");
  at(seconds(5));
  run_->fails(4, "app");
  run_->job(6, "more");
  run_->end("failed", 1);
  std::string open, outside, inside, names;
  std::string_view rest = text_ = text();
  const std::string begins = "\x1b[0Ksection_start:", ends = "\x1b[0Ksection_end:", back = "\r\x1b[0K";
  for (; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    const auto line = std::string(rest.substr(0, rest.find('\n')));
    const auto name = [&](const std::string& mark, char end) {
      const auto colon = line.find(':', mark.size());
      EXPECT_EQ(line.substr(mark.size(), 8), "17947368") << line;
      return line.substr(colon + 1, line.find(end, colon) - colon - 1);
    };
    if (line.starts_with(begins)) {
      EXPECT_EQ(open, "") << "one in another";
      EXPECT_NE(line.find("[collapsed=true]" + back + "weir: progress"), line.npos) << line;
      open = name(begins, '[');
      names += open + " ";
    } else if (line.starts_with(ends)) {
      EXPECT_EQ(name(ends, '\r'), open);
      EXPECT_TRUE(line.ends_with(back)) << line;
      open.clear();
    } else {
      EXPECT_EQ(line.find('\x1b'), line.npos) << line;
      EXPECT_EQ(line.find('\r'), line.npos) << line;
      (open.empty() ? outside : inside) += line + "\n";
    }
  }
  EXPECT_EQ(open, "") << "every section is closed";
  EXPECT_EQ(names, "weir_p_q_1 weir_p_q_2 ");
  EXPECT_NE(outside.find("FAILED    build app"), outside.npos) << outside;
  EXPECT_NE(outside.find("===== end of the log"), outside.npos) << outside;
  EXPECT_EQ(inside.find("FAILED"), inside.npos) << inside;
  EXPECT_NE(inside.find("done      build lib"), inside.npos) << inside;
}

}  // namespace
}  // namespace weir
