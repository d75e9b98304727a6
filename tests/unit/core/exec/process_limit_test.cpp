#include "core/exec/process_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/exec/classify.h"
#include "core/exec/isolation.h"
#include "core/exec/spawn.h"

namespace weir {
namespace {

EndOfProcess failed_with(init::StepEnd how, int value) {
  EndOfProcess end;
  end.record.complete = true;
  end.record.steps.push_back({0, how, value});
  end.planned_steps = 1;
  end.most_processes = 1000;
  end.program = "sh";
  return end;
}

bool names_limit(const Verdict& verdict) {
  return verdict.evidence.find("1000 processes") != std::string::npos;
}

TEST(ProcessLimit, a_job_that_reached_it_fails_as_a_command_and_says_so) {
  auto end = failed_with(init::StepEnd::exited, 2);
  EXPECT_FALSE(names_limit(classify(end)));
  end.record.at_process_limit = true;
  end.record.processes = 990;
  EXPECT_EQ(classify(end).failure, Failure::command);
  EXPECT_TRUE(names_limit(classify(end))) << classify(end).evidence;
}

TEST(ProcessLimit, what_tools_say_of_it_counts) {
  auto end = failed_with(init::StepEnd::exited, 2);
  end.output = "make: fork: Resource temporarily unavailable\nmake: *** [all] Error 2\n";
  end.record.processes = 1000;
  EXPECT_TRUE(names_limit(classify(end)));
  end.output = "read: Resource temporarily unavailable\n";
  EXPECT_FALSE(names_limit(classify(end)));
}

TEST(ProcessLimit, a_step_that_finds_no_room_left_by_an_earlier_one_is_the_jobs_fault) {
  auto end = failed_with(init::StepEnd::no_fork, EAGAIN);
  EXPECT_EQ(classify(end).failure, Failure::infra) << "the machine is short of processes";
  end.record.at_process_limit = true;
  end.record.processes = 1000;
  EXPECT_EQ(classify(end).failure, Failure::command);
}

// Of a container (--pids-limit), a service (TasksMax) or the user (ulimit -u).
TEST(ProcessLimit, that_of_somebody_else_is_neither_the_jobs_fault_nor_named) {
  auto end = failed_with(init::StepEnd::no_fork, EAGAIN);
  end.record.at_process_limit = true;
  end.record.processes = 200;
  EXPECT_EQ(classify(end).failure, Failure::infra);
  EXPECT_FALSE(names_limit(classify(end))) << classify(end).evidence;
  auto exited = failed_with(init::StepEnd::exited, 2);
  exited.record.at_process_limit = true;
  exited.record.processes = 200;
  exited.output = "sh: 1: Cannot fork\n";
  EXPECT_FALSE(names_limit(classify(exited))) << classify(exited).evidence;
}

TEST(ProcessLimit, is_near_when_all_but_the_reserved_pids_are_taken) {
  EXPECT_TRUE(is_near_process_limit(16384, 16384));
  EXPECT_TRUE(is_near_process_limit(16384 - 300, 16384));
  EXPECT_FALSE(is_near_process_limit(10000, 16384));
  EXPECT_TRUE(is_near_process_limit(300, 600)) << "a namespace that has used each pid once";
  EXPECT_FALSE(is_near_process_limit(200, 600));
  EXPECT_FALSE(is_near_process_limit(200, 0));
}

TEST(ProcessLimit, is_set_only_where_the_kernel_counts_for_the_job) {
  const auto kinds = [](const char* release) {
    const auto limits = process_limits_of(release);
    return std::pair(limits.by_pid, limits.by_user);
  };
  EXPECT_EQ(kinds("5.4.0-150-generic"), std::pair(false, false)) << "it would count all that the user has";
  EXPECT_EQ(kinds("5.13.19"), std::pair(false, false));
  EXPECT_EQ(kinds("5.14.0-70.el9.x86_64"), std::pair(false, true));
  EXPECT_EQ(kinds("6.1.0-18-amd64"), std::pair(false, true));
  EXPECT_EQ(kinds("6.14.0"), std::pair(true, true));
  EXPECT_EQ(kinds("7.0-rc1"), std::pair(true, true));
  EXPECT_EQ(kinds("unknown"), std::pair(false, false));
}

InitRecord record_of(const std::string& script) {
  const InitPlan plan{{{"PATH", "/usr/bin:/bin"}}, {{{"sh", "-c", script}, "/"}}};
  const auto file = std::move(*PlanFile::make(plan));
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  int output[2];
  EXPECT_EQ(::pipe2(output, O_CLOEXEC), 0);
  const UniqueFd reader(output[0]), writer(output[1]);
  const int fds[] = {null.get(), writer.get(), writer.get(), file.fd()};
  char name[] = WEIR_INIT;
  char* const argv[] = {name, nullptr};
  char* const no_environment[] = {nullptr};
  SpawnRequest request;
  request.path = WEIR_INIT;
  request.argv = argv;
  request.environment = no_environment;
  request.fds = fds;
  request.namespaces = namespaces_of(find_isolation());
  request.signal_mask = init::kInitMask;
  const auto child = spawn(request);
  EXPECT_GT(child.pid, 0);
  EXPECT_EQ(::waitpid(child.pid, nullptr, 0), child.pid);
  return file.record();
}

TEST(ProcessLimit, weir_init_tells_how_many_there_were_when_a_step_failed) {
  const auto failed = record_of("for i in $(seq 40); do sleep 1000 & done; exit 3");
  EXPECT_TRUE(failed.complete);
  EXPECT_GE(failed.processes, 41u);
  EXPECT_LT(failed.processes, 60u);
  const auto alone = record_of("exit 3");
  EXPECT_GE(alone.processes, 1u);
  EXPECT_LE(alone.processes, 3u);
}

TEST(ProcessLimit, weir_init_counts_threads) {
  const auto failed = record_of(
      "d=$(mktemp -d); mkfifo $d/up; python3 -c 'import threading, time\nfor n in range(40): "
      "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\nprint(\"up\", flush=True)\n"
      "time.sleep(1000)' > $d/up & read line < $d/up; rm -r $d; exit 3");
  EXPECT_GE(failed.processes, 42u);
}

TEST(ProcessLimit, leaves_room_for_real_builds) { EXPECT_GE(most_processes_of_a_job(), 512u); }

}  // namespace
}  // namespace weir
