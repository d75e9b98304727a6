// A job that takes all it can get: processes, memory, output, cores. weir goes on, and so does what is built
// after it.
#include <sys/utsname.h>

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
  for (const std::string form :
       {"dd if=/dev/zero of=/tmp/full bs=1M count=2000", "dd if=/dev/zero of=/dev/shm/full bs=1M count=2000",
        "exec perl -e 'my $x = \"x\" x 2000000000; sleep 1'",
        "exec perl -e 'my $name = \"full\"; my $fd = syscall(319, $name, 0); open(my $f, \">&=\", $fd); "
        "print $f "
        "\"x\" x 1000000 for 1 .. 2000'"}) {
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
