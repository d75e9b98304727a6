// Jobs that get more cores while they run, and give some back.
#include <gtest/gtest.h>

#include "core/report/run_picture.h"
#include "core/report/run_record.h"
#include "core/report/run_totals.h"
#include "tests/unit/core/report/told_run.h"

namespace weir {
namespace {

using std::chrono::seconds;

struct GrowingRun {
  RunPicture picture;
  RunTotals totals;
  RunRecord record;
  ToldRun run{{&picture, &totals, &record}};

  GrowingRun() {
    run.start();
    const std::pair<std::string_view, std::int64_t> tokens[] = {{"process", 1}};
    event::JobStart start;
    start.job = 1;
    start.element = "a";
    start.queue = "build";
    start.tokens = tokens;
    run.tell(start);
  }
  std::int64_t used() const { return picture.tokens().front().used; }
  void cores(Duration at, std::uint64_t count) {
    run.now = at;
    run.tell(event::JobCores{1, count});
  }
  void end(Duration at) {
    run.now = at;
    event::JobEnd end;
    end.job = 1;
    end.element = "a";
    end.queue = "build";
    end.result = "succeeded";
    end.seconds = std::chrono::duration<double>(at).count();
    run.tell(end);
  }
};

TEST(RunPicture, tokens_follow_the_cores_of_a_job) {
  GrowingRun r;
  EXPECT_EQ(r.used(), 1);
  r.cores(seconds(1), 2);
  EXPECT_EQ(r.used(), 2);
  EXPECT_EQ(r.picture.running().at(1).tokens.front().second, 2);
  r.cores(seconds(2), 1);
  EXPECT_EQ(r.used(), 1);
  r.cores(seconds(3), 2);
  r.end(seconds(4));
  EXPECT_EQ(r.used(), 0);
  r.cores(seconds(5), 2);
  EXPECT_EQ(r.used(), 0) << "late news of a job that is over";
}

TEST(RunTotals, cores_count_for_as_long_as_a_job_had_them) {
  GrowingRun r;
  r.cores(seconds(1), 2);
  r.cores(seconds(3), 1);
  r.cores(seconds(4), 2);
  r.end(seconds(5));
  EXPECT_DOUBLE_EQ(r.totals.core_seconds(), 5 + 2 + 1);
}

TEST(RunRecord, keeps_when_a_job_had_how_many_cores) {
  GrowingRun r;
  r.cores(seconds(1), 2);
  r.cores(seconds(3), 1);
  r.end(seconds(5));
  const std::vector<std::pair<Duration, std::uint64_t>> expected = {{seconds(1), 2}, {seconds(3), 1}};
  EXPECT_EQ(r.record.jobs().front().cores, expected);
}

}  // namespace
}  // namespace weir
