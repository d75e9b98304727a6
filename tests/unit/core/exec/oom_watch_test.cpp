// Who ran out of memory, where only counters and words tell it.
#include "core/exec/oom_watch.h"

#include "core/exec/classify.h"
#include "core/exec/tree_control.h"
#include "tests/support/temporary_folder.h"

#include <fcntl.h>

namespace weir {
namespace {

class Watch : public testing::Test {
 protected:
  Watch() { root.write("proc/self/cgroup", "4:memory:/m\n0::/u/v\n"); }
  void v1(int kills) {
    root.write("cg/memory/m/memory.oom_control",
               "oom_kill_disable 0\nunder_oom 0\noom_kill " + std::to_string(kills) + "\n");
  }
  void v2(int kills) {
    root.write("cg/u/memory.events",
               "low 0\noom 9\noom_kill " + std::to_string(kills) + "\noom_group_kill 7\n");
  }
  ProbeRoots roots() const { return {root / "proc", root / "cg"}; }
  TemporaryFolder root;
};

TEST_F(Watch, counts_v1_and_the_nearest_of_v2) {
  v1(2);
  v2(3);
  EXPECT_EQ(OomWatch(roots()).kills(), 5U);
}

TEST_F(Watch, without_cgroups_there_are_no_kills) { EXPECT_EQ(OomWatch(roots()).kills(), 0U); }

TEST_F(Watch, a_kill_explains_one_failure_and_every_exit_137) {
  v1(0);
  OomWatch watch(roots());
  EXPECT_EQ(watch.explain(0, 1), 0U);
  v1(1);
  EXPECT_EQ(watch.explain(0, 2), 1U) << "make says 2 when the compiler was killed";
  EXPECT_EQ(watch.explain(0, 2), 0U) << "that was the other one's";
  EXPECT_EQ(watch.explain(0, 137), 1U);
  EXPECT_EQ(watch.explain(1, 137), 0U) << "before it began";
}

EndOfProcess exited(int code, std::string_view output = {}) {
  EndOfProcess end;
  end.record.complete = true;
  end.record.steps.push_back({0, init::StepEnd::exited, code});
  end.planned_steps = 1;
  end.output = output;
  return end;
}

TEST(OomVerdict, of_kills_around_it) {
  auto end = exited(2);
  EXPECT_EQ(classify(end).failure, Failure::command);
  end.oom_kills_around = 1;
  EXPECT_EQ(classify(end).failure, Failure::oom);
  EXPECT_EQ(classify(end).evidence,
            "exit code 2, and while it ran the kernel killed 1 here for want of memory");
  auto good = exited(0);
  good.oom_kills_around = 1;
  EXPECT_EQ(classify(good).failure, Failure::none);
}

TEST(OomVerdict, of_words_under_a_limit_of_the_address_space) {
  auto end = exited(1, "cc1plus: out of memory allocating 65536 bytes\n");
  EXPECT_EQ(classify(end).failure, Failure::command) << "without a limit nobody knows whose fault it is";
  end.address_space = 1 << 30;
  EXPECT_EQ(classify(end).failure, Failure::oom);
  EXPECT_EQ(classify(exited(1, "x.c:1: error")).failure, Failure::command);
}

TEST(JobCgroupPeak, is_without_the_cache_of_files_and_not_an_earlier_jobs) {
  TemporaryFolder folder;
  folder.write("memory.peak", "0\n");
  folder.write("memory.stat", "anon 1\nfile 300\nshmem 100\n");
  JobCgroup cgroup(folder.path(),
                   UniqueFd(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  EXPECT_EQ(cgroup.peak(), std::nullopt);
  cgroup.begin_peak();
  EXPECT_EQ(cgroup.peak(), std::nullopt);
  folder.write("memory.peak", "1000\n");
  EXPECT_EQ(cgroup.peak(), 800U);
}

}  // namespace
}  // namespace weir
