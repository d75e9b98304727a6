// Signals to the real weir: nothing it started may be left, whatever ends it.
#include <poll.h>

#include <optional>

#include "core/base/random.h"
#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

// A job with a grandchild in a session of its own, both tagged; it says when they are there.
std::string project_with(const std::string& tag, const std::string& first = "") {
  return "weir = 1\n[project]\nname = \"t\"\n[element.a]\nkind = \"script\"\nenv = {TAG = \"" + tag +
         "\"}\nconfig.commands = ['''" + first + " setsid sh -c 'echo here; sleep 1000' & sleep 1000''']\n";
}
// No other test's tag begins with it.
std::string unique_tag(const char* name) {
  return std::string("weir-e2e-") + name + "-" + std::to_string(::getpid()) + "-";
}

// Both sleeps run: weir-init, sh, setsid's sh and the sleeps all carry the tag.
bool all_there(const std::string& tag) {
  std::size_t sleeping = 0;
  for (const auto pid : processes_with(tag)) sleeping += state_of(pid) == 'S';
  return sleeping >= 4;
}

class Signal : public testing::TestWithParam<const char*> {
 protected:
  // weir with a job whose processes are all there.
  void start(const char* name, const std::string& first = "") {
    tag = unique_tag(name);
    project.file("weir.toml", project_with(tag, first));
    weir.emplace(project, std::vector<std::string>{"-q", "build", "--sandbox", GetParam(), "--events", "-"});
    ASSERT_NE(weir->wait_for_line("job.start"), "");
    ASSERT_TRUE(eventually([&] { return all_there(tag); }));
  }
  void suspend() {
    weir->signal(SIGTSTP);
    ASSERT_NE(weir->wait_for_line("job.suspend"), "");
    ASSERT_TRUE(eventually([&] { return state_of(weir->pid()) == 'T'; }));
  }
  std::string tag;
  TempProject project;
  std::optional<WeirProcess> weir;
};

TEST_P(Signal, kill_9_of_weir_leaves_no_process) {
  start("kill");
  weir->signal(SIGKILL);
  EXPECT_EQ(weir->wait().exit, 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return processes_with(tag).empty(); }));
}

// The incident: bubblewrap was killed with weir before its inside had asked for a death signal, and the
// inside lived on.
TEST_P(Signal, kill_9_of_weir_at_any_moment_of_a_start_leaves_no_process) {
  tag = unique_tag("start");
  const std::uint64_t seed = 11;
  Random random(seed);
  for (int round = 0; round < 40; ++round) {
    TempProject own;
    own.file("weir.toml", project_with(tag));
    WeirProcess process(own, {"-q", "build", "--sandbox", GetParam(), "--events", "-"});
    ASSERT_NE(process.wait_for_line("job.start"), "");
    const timespec moment{0, static_cast<long>(random.below(6'000'000))};
    ::ppoll(nullptr, 0, &moment, nullptr);  // the random moment itself
    process.signal(SIGKILL);
    process.wait();
    // Until weir-init has started the commands the tag is only in the plan; the folder's name is on every
    // command line.
    ASSERT_TRUE(eventually([&] { return processes_with(tag).empty() && processes_with(own.path()).empty(); }))
        << "seed " << seed << " round " << round;
  }
}

TEST_P(Signal, kill_9_of_weir_while_suspended_leaves_no_process) {
  start("suspended");
  suspend();
  weir->signal(SIGKILL);
  weir->wait();
  EXPECT_TRUE(eventually([&] { return processes_with(tag).empty(); }));
}

TEST_P(Signal, interrupt_stops_everything_and_is_exit_130) {
  start("interrupt");
  weir->signal(SIGINT);
  const auto result = weir->wait();
  EXPECT_EQ(result.exit, 130) << result.err;
  EXPECT_NE(result.out.find(R"("ev":"run.end","result":"cancelled")"), std::string::npos);
  EXPECT_TRUE(processes_with(tag).empty());
}

TEST_P(Signal, terminate_stops_everything_and_is_exit_143) {
  start("terminate");
  weir->signal(SIGTERM);
  EXPECT_EQ(weir->wait().exit, 143);
  EXPECT_TRUE(processes_with(tag).empty());
}

TEST_P(Signal, a_terminal_that_is_closed_ends_the_run_in_order) {
  start("hangup");
  weir->signal(SIGHUP);
  const auto result = weir->wait();
  EXPECT_EQ(result.exit, 143) << result.err;
  EXPECT_NE(result.out.find(R"("ev":"run.end","result":"cancelled")"), std::string::npos);
  EXPECT_TRUE(processes_with(tag).empty());
}

std::int64_t microseconds(const std::string& line) {
  return std::strtoll(line.c_str() + line.find("\"us\":") + 5, nullptr, 10);
}

// A job that ignores TERM has its grace of ten seconds; the second interrupt does not wait for it. By the
// times of the events: how long this test takes to see them is no matter.
TEST_P(Signal, a_second_interrupt_kills_at_once) {
  start("twice", "trap '' TERM;");
  weir->signal(SIGINT);
  const auto stop = weir->wait_for_line("job.stop");
  ASSERT_NE(stop, "");
  weir->signal(SIGINT);
  const auto end = weir->wait_for_line("job.end");
  ASSERT_NE(end, "");
  EXPECT_LT(microseconds(end) - microseconds(stop), 10'000'000);
  EXPECT_EQ(weir->wait().exit, 130);
  EXPECT_TRUE(processes_with(tag).empty());
}

TEST_P(Signal, jobs_stop_and_go_on_with_weir) {
  start("tstp");
  suspend();
  weir->signal(SIGCONT);
  ASSERT_NE(weir->wait_for_line("job.resume"), "");
  weir->signal(SIGTERM);
  EXPECT_EQ(weir->wait().exit, 143);
  EXPECT_TRUE(processes_with(tag).empty());
}

// A shell that ignores CHLD hears of no child's end, and one that ignores PIPE writes to nobody for ever.
TEST_P(Signal, what_the_starter_of_weir_ignores_and_hides_does_not_reach_its_jobs) {
  project.file("weir.toml", R"(weir = 1
[project]
name = "t"
[element.a]
kind = "script"
config.commands = ["grep SigIgn /proc/self/status | cut -f 2", "umask", "sh -c 'while :; do echo x 2>&-; done' | head -n 1"]
)");
  const auto command = "cd " + project.path() + " && export WEIR_CACHE_DIR=" + project.cache() +
                       " XDG_CONFIG_HOME=" + project.path() +
                       "/.config; trap '' CHLD PIPE HUP USR1; umask 077; exec " WEIR_BINARY
                       " -q build --sandbox " +
                       GetParam();
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(test::weir(project, {"log", "a"}).out, "0000000000000000\n0022\nx\n");
}

INSTANTIATE_TEST_SUITE_P(Sandbox, Signal, testing::Values("none", "host"),
                         [](const auto& sandbox) { return std::string(sandbox.param); });

}  // namespace
}  // namespace weir::test
