// A job that takes all it can get: processes, memory, output, cores. weir goes on, and so does what is built
// after it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "tests/e2e/escape.h"
#include "tests/support/memory_cgroup.h"

namespace weir::test::escape {
namespace {

class EscapeByMass : public Escape {
 protected:
  void expect_that_weir_goes_on() {
    EXPECT_EQ(weir({"build", "lib", "--force"}).exit, 0);
    expect_no_harm();
  }
  bool can_bound_processes() const {
    utsname system{};
    int major = 0, minor = 0;
    ::uname(&system);
    const bool read = std::sscanf(system.release, "%d.%d", &major, &minor) == 2;
    return !GetParam().root || (read && (major > 6 || (major == 6 && minor >= 14)));
  }
};

constexpr rlim_t kProcessesOfUser = 1200;
const std::string kLimit = "600 processes";  // half of it

// They end with the calling process, which weir becomes.
bool start_sleepers(rlim_t count) {
  for (rlim_t i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child < 0) return false;
    if (child > 0) continue;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  return true;
}

TEST_P(EscapeByMass, a_fork_bomb_is_bounded_and_named) {
  if (!can_bound_processes()) GTEST_SKIP() << "only a cgroup could bound root on this kernel";
  guest_.processes = kProcessesOfUser;
  const auto built = build(
      "exec perl -e '$| = 1; for (my $n = 1; $n < 5000; $n++) { my $child = fork; "
      "if (!defined $child) { print \"came to $n\\n\"; exit 7 } if (!$child) { sleep 1000; exit } }'");
  EXPECT_EQ(built.exit, 1) << built.err;
  EXPECT_NE((built.out + built.err).find(kLimit), std::string::npos) << built.out << built.err;
  const auto log = weir({"log", "bad"}).out;
  const auto came = log.find("came to ");
  ASSERT_NE(came, log.npos) << log;
  EXPECT_LE(std::stoi(log.substr(came + 8)), 600);
  guest_.processes = 0;
  expect_that_weir_goes_on();
}

// Others that the user runs may leave less than the job's own limit: that is not the job's fault.
TEST_P(EscapeByMass, a_limit_of_the_user_is_not_taken_for_the_jobs) {
  if (GetParam().root) GTEST_SKIP() << "root has no such limit";
  guest_.processes = kProcessesOfUser;
  guest_.before = [] { return start_sleepers(kProcessesOfUser - 150); };
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // when weir ends they are this test's
  const auto built = build(
      "exec perl -e '$| = 1; for (my $n = 1; $n < 5000; $n++) { my $child = fork; "
      "if (!defined $child) { print \"came to $n\\n\"; exit 7 } if (!$child) { sleep 1000; exit } }'");
  while (::wait(nullptr) > 0) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  guest_.before = {};
  EXPECT_EQ(built.exit, 1) << built.err;
  EXPECT_NE((built.out + built.err).find("exit code 7"), std::string::npos) << built.out << built.err;
  EXPECT_EQ((built.out + built.err).find(kLimit), std::string::npos) << built.out << built.err;
  const auto log = weir({"log", "bad"}).out;
  EXPECT_NE(log.find("came to "), log.npos) << log;
}

TEST_P(EscapeByMass, a_fork_bomb_that_never_ends_is_killed_as_a_whole) {
  if (!can_bound_processes()) GTEST_SKIP() << "only a cgroup could bound root on this kernel";
  guest_.processes = kProcessesOfUser;
  const auto tag = "weir-e2e-bomb-" + std::to_string(::getpid());
  project_.file("weir.toml", project_text() +
                                 element("bomb",
                                         "perl -e 'while (1) { my $child = fork; if (defined $child && "
                                         "!$child) { setpgrp; next } select(undef, undef, undef, 0.05) }' " +
                                             tag,
                                         "") +
                                 "timeout = \"3s\"\n");
  const auto built = weir({"build", "bomb"});
  EXPECT_EQ(built.exit, 5) << built.out << built.err;
  EXPECT_TRUE(processes_with(tag).empty());
  guest_.processes = 0;
  expect_that_weir_goes_on();
}

// A job that leaves a full room behind in its first step has itself to blame.
TEST_P(EscapeByMass, threads_count_as_processes) {
  if (GetParam().staged) GTEST_SKIP() << "needs a python of the host";
  if (!can_bound_processes()) GTEST_SKIP() << "only a cgroup could bound root on this kernel";
  guest_.processes = kProcessesOfUser;
  const auto built = build(
      "exec /usr/bin/python3 -c 'import threading, time\nthreading.stack_size(65536)\nfor n in "
      "range(5000):\n "
      "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()'");
  EXPECT_EQ(built.exit, 1) << built.out << built.err;
  guest_.processes = 0;
  expect_that_weir_goes_on();
}

TEST_P(EscapeByMass, a_flood_of_output_costs_weir_no_memory) {
  const auto built =
      build("head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2; echo > $WEIR_OUT/done");
  EXPECT_EQ(built.exit, 0) << built.err;
  EXPECT_LT(built.peak_bytes, 200u << 20);
  expect_that_weir_goes_on();
}

// What a job leaves in its temporary folders is memory of the machine.
TEST_P(EscapeByMass, memory_in_every_form_is_that_of_the_job) {
  if (!GetParam().root) GTEST_SKIP() << "only root has a cgroup to limit";
  auto limited = MemoryCgroup::make(256u << 20);
  if (!limited) GTEST_SKIP() << "no memory cgroup here";
  const std::string make_memfd = "syscall(" + std::to_string(SYS_memfd_create) + ", $name, 0)";
  for (const auto& form :
       std::vector<std::string>{"dd if=/dev/zero of=/tmp/full bs=1M count=2000",
                                "dd if=/dev/zero of=/dev/shm/full bs=1M count=2000",
                                "exec perl -e 'my $x = \"x\" x 2000000000; sleep 1'",
                                "exec perl -e 'my $name = \"full\"; my $fd = " + make_memfd +
                                    "; open(my $f, \">&=\", $fd); print $f \"x\" x 1000000 for 1 .. 2000'"}) {
    guest_.before = [&] { return limited->enter(); };
    project_.file("src/attempt.sh", form);
    const auto built = weir({"build", "bad", "--retry-failed"});
    EXPECT_EQ(built.exit, 5) << form << built.out << built.err;
    guest_.before = {};
  }
  expect_that_weir_goes_on();
}

INSTANTIATE_TEST_SUITE_P(As, EscapeByMass, testing::ValuesIn(kEverywhere),
                         [](const auto& where) { return where.param.name; });

}  // namespace
}  // namespace weir::test::escape
