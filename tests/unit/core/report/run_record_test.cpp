#include "core/report/run_record.h"

#include <limits>

#include "core/report/event_file.h"
#include "core/report/run_picture.h"
#include "core/report/run_words.h"
#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RunRecord record_of(const std::string& events) {
  const TemporaryFolder folder;
  folder.write("events", events);
  return RunRecord::read(folder / "events");
}

TEST(RunRecord, a_job_that_is_suspended_at_its_end_was_so_until_then) {
  MadeRun run;
  run.start(1, 1)
      .job_start(0, "a")
      .at(seconds(1))
      .tell(event::JobSuspend{0})
      .at(seconds(2))
      .tell(event::JobResume{0});
  run.at(seconds(3)).tell(event::JobSuspend{0}).at(seconds(5)).job_end(0, "a", 3);
  const auto job = record_of(run.text()).jobs().at(0);
  const std::vector<std::pair<Duration, Duration>> expected = {{seconds(1), seconds(2)},
                                                               {seconds(3), seconds(5)}};
  EXPECT_EQ(job.suspended, expected);
}

TEST(RunRecord, what_has_not_ended_lasts_as_long_as_the_events_do) {
  MadeRun run;
  run.start(1, 2)
      .job_start(0, "a")
      .at(seconds(1))
      .tell(event::JobSuspend{0})
      .at(seconds(4))
      .job_start(1, "b");
  const auto record = record_of(run.text());
  EXPECT_EQ(record.jobs().at(0).end, seconds(4));
  EXPECT_EQ(record.jobs().at(0).suspended.at(0).second, seconds(4));
  EXPECT_FALSE(record.end());
  EXPECT_EQ(result_word(record.jobs()[0], RunStand::running), "running");
  EXPECT_EQ(result_word(record.jobs()[0], RunStand::killed), "lost");
}

TEST(RunRecord, what_a_job_waited_for) {
  MadeRun run;
  run.start(1, 1)
      .at(seconds(1))
      .tell(event::JobWait{0, "a", "build", "token", {"process"}, 2, 1})
      .at(seconds(2))
      .job_start(0, "a");
  const auto job = record_of(run.text()).jobs().at(0);
  ASSERT_EQ(job.waits.size(), 1u);
  EXPECT_EQ(job.waits[0].first, seconds(1));
  EXPECT_EQ(job.waits[0].second, "token process");
}

TEST(RunRecord, others_hear_the_same_events) {
  struct Count : Observer {
    std::size_t heard = 0;
    void on_event(const Event&) override { ++heard; }
  } count;
  const TemporaryFolder folder;
  folder.write("events", MadeRun::of_jobs(3));
  const auto record = RunRecord::read(folder / "events", {&count});
  EXPECT_EQ(count.heard, 2 + 3 * 5 + 1u);
  EXPECT_TRUE(record.run().start.starts_with("2023-11-14T22:13:20")) << record.run().start;
}

TEST(RunWords, steps_end_with_their_job_one_behind_the_other) {
  RecordedJob job;
  job.start = milliseconds(100);
  job.end = milliseconds(1000);
  job.steps = {{{"a"}, 0.9, 0}, {{"b"}, 0.3, 0}, {{"c"}, 0.2, 0}};
  const std::vector<std::pair<Duration, Duration>> expected = {{milliseconds(100), milliseconds(500)},
                                                               {milliseconds(500), milliseconds(800)},
                                                               {milliseconds(800), milliseconds(1000)}};
  EXPECT_EQ(step_spans(job), expected) << "the first cannot have begun before the job";
}

TEST(RunWords, a_command_as_it_was_written) {
  EXPECT_EQ(command_words({"sh", "-e", "-c", "make all"}), "make all");
  EXPECT_EQ(command_words({"cc", "-DX=a b"}), "cc '-DX=a b'");
  EXPECT_EQ(command_words({"sh", "-c", "a long\nprogram", "weir-git", "a url"}), "weir-git 'a url'");
  EXPECT_EQ(command_words({}), "weir");
}

// Seconds of a forged file are any double.
TEST(RunPicture, seconds_that_no_clock_has_are_cut) {
  EXPECT_EQ(from_seconds(1e300), kLongestRun);
  EXPECT_EQ(from_seconds(-1e300), -kLongestRun);
  EXPECT_EQ(from_seconds(std::numeric_limits<double>::quiet_NaN()), Duration());
  EXPECT_EQ(from_seconds(1.5), milliseconds(1500));
}

TEST(RunPicture, amounts_of_a_forged_file_stay_in_range) {
  RunPicture picture;
  const std::pair<std::string_view, std::int64_t> most[] = {
      {"process", std::numeric_limits<std::int64_t>::max()}};
  for (std::uint64_t job = 0; job < 3; ++job) {
    event::JobStart start;
    start.job = job;
    start.tokens = most;
    picture.on_event(Event{job, {}, start});
  }
  ASSERT_EQ(picture.tokens().size(), 1U);
  EXPECT_GT(picture.tokens()[0].used, 0);
}

TEST(RunRecord, steps_of_a_forged_file_do_not_leave_their_job) {
  RecordedJob job;
  job.start = seconds(1);
  job.end = seconds(9);
  job.steps = {{{"a"}, 1e300, 0}, {{"b"}, -1e300, 0}, {{"c"}, -1e300, 0}};
  for (const auto& [begin, end] : step_spans(job)) {
    EXPECT_GE(begin, job.start);
    EXPECT_LE(end, job.end);
  }
}

}  // namespace
}  // namespace weir
