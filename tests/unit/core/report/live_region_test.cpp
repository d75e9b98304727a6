#include "core/report/live_region.h"

#include "core/report/terminal_text.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

// A run as a few events tell of it.
class ToldRun {
 public:
  ToldRun() {
    const std::string_view queues[] = {"fetch", "build", "push"};
    const std::pair<std::string_view, std::int64_t> tokens[] = {
        {"process", 2}, {"memory", 8LL << 30}, {"license", 3}};
    tell(0s, event::RunStart{7, {}, 2, {"demo"}, {}});
    tell(0s, event::RunPlan{40, 3, queues, tokens});
  }
  template <class Body>
  ToldRun& tell(Duration at, const Body& body) {
    picture.on_event({++seq_, at, body});
    return *this;
  }
  ToldRun& state(Duration at, std::string_view element, std::string_view queue, std::string_view status,
                 std::optional<double> expected = {}) {
    return tell(at, event::ElementState{element, queue, status, {}, {}, expected});
  }
  ToldRun& start(Duration at, std::uint64_t job, std::string_view element,
                 std::optional<double> expected = {}, std::optional<double> rest = {},
                 std::int64_t cores = 1) {
    const std::pair<std::string_view, std::int64_t> tokens[] = {{"process", cores}};
    event::JobStart body;
    body.job = job;
    body.element = element;
    body.queue = "build";
    body.attempt = 1;
    body.tokens = tokens;
    body.expected = expected;
    body.rest = rest;
    return tell(at, body);
  }
  ToldRun& end(Duration at, std::uint64_t job, std::string_view element) {
    event::JobEnd body;
    body.job = job;
    body.element = element;
    body.queue = "build";
    body.result = "succeeded";
    return tell(at, body);
  }
  std::string region(Duration now, TerminalSize size) const {
    std::string all;
    for (const auto& line : live_region(picture, now, size)) all += line.text() + "\n";
    return all;
  }
  RunPicture picture;

 private:
  std::uint64_t seq_ = 0;
};

ToldRun two_jobs() {
  ToldRun run;
  run.state(0s, "lib", "build", "wait", 30.0)
      .state(0s, "app", "build", "wait", 10.0)
      .state(0s, "tool", "build", "ready", 5.0);
  run.state(0s, "old", "fetch", "skip").state(0s, "old", "build", "skip").state(0s, "old", "push", "skip");
  run.start(1s, 1, "lib", 30.0, 40.0).start(1s, 2, "tool", 5.0, 5.0);
  event::JobWait wait;
  wait.job = 3;
  wait.element = "app";
  wait.queue = "build";
  wait.what = "token";
  wait.name.text = "process";
  wait.need = 2;
  wait.free = 0;
  return run.tell(1s, wait);
}

TEST(LiveRegion, has_progress_time_tokens_queues_jobs_and_why_the_next_one_waits) {
  EXPECT_EQ(two_jobs().region(4s, {80, 24}),
            "[1/4] 0:04, about 0:37 left  process 2/2\n"
            "fetch 1 skipped  build 1 skipped  push 1 skipped\n"
            "* build lib                                                  0:03 of about 0:30\n"
            "  build tool                                                 0:03 of about 0:05\n"
            "next: build app waits for process: needs 2, 0 free\n");
}

TEST(LiveRegion, a_narrow_window_has_the_numbers_and_no_line_is_wider_than_it_may_be) {
  EXPECT_EQ(two_jobs().region(4s, {40, 24}),
            "[1/4] 0:04 ~0:37  process 2/2\n"
            "build 0+1\n"
            "* build lib                        0:03\n"
            "  build tool                       0:03\n"
            "next: build app waits for process: nee\xe2\x80\xa6\n");
  for (const std::size_t columns : {1, 2, 7, 13, 40, 79, 80, 200})
    for (const auto& line : live_region(two_jobs().picture, 4s, {columns, 24}))
      EXPECT_LT(display_width(line.text()), std::max<std::size_t>(2, columns)) << line.text();
}

TEST(LiveRegion, takes_at_most_a_third_of_the_height) {
  auto run = two_jobs();
  for (std::uint64_t job = 10; job < 40; ++job) run.start(2s, job, "e" + std::to_string(job), {}, {}, 0);
  for (const std::size_t rows : {1, 3, 5, 9, 12, 24, 60}) {
    const auto lines = live_region(run.picture, 4s, {80, rows});
    EXPECT_LE(lines.size(), std::max<std::size_t>(1, rows / 3)) << rows;
    EXPECT_GE(lines.size(), 1u);
  }
  const auto text = run.region(4s, {80, 24});
  EXPECT_NE(text.find("  and 28 more\n"), std::string::npos) << text;
}

TEST(LiveRegion, the_job_that_all_wait_for_is_shown_although_others_run_longer) {
  ToldRun run;
  for (std::uint64_t job = 1; job < 20; ++job)
    run.start(std::chrono::seconds(job), job, "e" + std::to_string(job), {}, 1.0, 0);
  run.start(60s, 77, "slow", {}, 1000.0);
  const auto text = run.region(61s, {80, 24});
  EXPECT_NE(text.find("* build slow"), std::string::npos) << text;
  EXPECT_NE(text.find("  build e1 "), std::string::npos) << "the longest on top\n" << text;
}

TEST(LiveRegion, wide_and_combining_characters_are_counted_as_they_are_shown) {
  ToldRun run;
  run.start(0s, 1, "\xe6\xbc\xa2\xe5\xad\x97").start(0s, 2, "e\xcc\x81t\xc3\xa9").start(0s, 3, "plain");
  std::vector<std::size_t> columns;
  for (const auto& line : live_region(run.picture, 0s, {80, 24}))
    if (const auto at = line.text().find("0:00");
        at != std::string::npos && line.text().find("build") != std::string::npos)
      columns.push_back(display_width(line.text().substr(0, at)));
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0], columns[2]);
  EXPECT_EQ(columns[1], columns[2]);
}

TEST(LiveRegion, nothing_of_a_name_is_an_escape_sequence) {
  ToldRun run;
  run.start(0s, 1, "a\x1b[2Jb\nc");
  for (const auto& line : live_region(run.picture, 0s, {80, 24})) {
    EXPECT_EQ(line.text().find('\x1b'), std::string::npos);
    EXPECT_EQ(line.text().find('\n'), std::string::npos);
  }
}

TEST(RunPicture, suspended_time_is_no_running_time) {
  auto run = two_jobs();
  run.tell(5s, event::JobSuspend{1}).tell(5s, event::JobSuspend{2});
  EXPECT_TRUE(run.picture.all_suspended());
  EXPECT_EQ(run.picture.running().at(1).ran(100s), Duration(4s));
  run.tell(100s, event::JobResume{1});
  EXPECT_EQ(run.picture.running().at(1).ran(103s), Duration(7s));
  EXPECT_FALSE(run.picture.all_suspended());
}

TEST(RunPicture, tokens_and_counts_follow_the_jobs) {
  auto run = two_jobs();
  EXPECT_EQ(run.picture.tokens()[0].used, 2);
  run.end(6s, 2, "tool").state(6s, "tool", "build", "done");
  EXPECT_EQ(run.picture.tokens()[0].used, 1);
  EXPECT_EQ(run.picture.queues()[1].done, 1u);
  EXPECT_EQ(run.picture.queues()[1].running, 1u);
  EXPECT_EQ(run.picture.settled(), 1u) << "it goes on to push";
  run.state(6s, "tool", "push", "skip");
  EXPECT_EQ(run.picture.settled(), 2u);
  run.tell(7s, event::Control{"tokens", {"process"}, 5, {}});
  EXPECT_EQ(run.picture.tokens()[0].capacity, 5);
}

TEST(RunPicture, estimates_the_longer_one_of_the_longest_way_and_of_all_work) {
  auto run = two_jobs();
  EXPECT_EQ(run.picture.estimate(1s), Duration(40s)) << "lib, then app";
  run.tell(1s, event::Control{"tokens", {"process"}, 1, {}});
  EXPECT_EQ(run.picture.estimate(1s), Duration(45s)) << "one at a time";
  run.state(1s, "new", "build", "wait");
  EXPECT_EQ(run.picture.estimate(1s), Duration(60s)) << "it is like the others";
  EXPECT_EQ(ToldRun().picture.estimate(1s), std::nullopt);
}

TEST(RunPicture, work_that_is_overdue_has_no_estimate) {
  auto run = two_jobs();
  run.state(1s, "app", "build", "skip");
  EXPECT_EQ(run.picture.estimate(1h), std::nullopt) << "nobody knows how long it still takes";
}

TEST(RunPicture, a_job_that_starts_waits_no_longer) {
  auto run = two_jobs();
  EXPECT_TRUE(run.picture.next());
  run.start(9s, 3, "app");
  EXPECT_FALSE(run.picture.next());
}

}  // namespace
}  // namespace weir
