// Nothing of a job outlives the process that runs the executor, whichever way that process goes; and what
// such a process costs. The process is tests/unit/core/exec/programs/host.cpp.
#include <spawn.h>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "tests/unit/core/exec/process_watch.h"

extern char** environ;

namespace weir {
namespace {

class Host {
 public:
  explicit Host(std::vector<std::string> command) {
    int pipe[2];
    EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
    out_ = UniqueFd(pipe[0]);
    std::vector<char*> argv;
    for (auto& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
    EXPECT_EQ(posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
  }
  ~Host() {
    if (pid_ > 0) kill();
  }
  std::string read_line() {
    std::string line;
    for (char c; ::read(out_.get(), &c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  UniqueFd out_;
};

struct Setting {
  const char* name;
  const char* mode;
  const char* variable;  // NAME=value for the host
};

class Lifetime : public ::testing::TestWithParam<Setting> {};

// A copy of weir-init in the folder, so that its path tags weir-init and bubblewrap too.
std::string copy_program(const TestFolder& folder, const char* program, const std::string& name) {
  std::filesystem::copy_file(program, folder / name);
  ::chmod((folder / name).c_str(), 0755);
  return folder / name;
}

TEST_P(Lifetime, kill_9_of_the_executors_process_leaves_no_process) {
  TestFolder folder;
  const auto init = copy_program(folder, WEIR_INIT, "weir-init");
  Host host({"env", GetParam().variable, EXEC_TEST_HOST, GetParam().mode, folder.path(), init});
  ASSERT_EQ(host.read_line(), "ready");
  EXPECT_GE(tagged_processes(folder.path()).size(), 6U);
  host.kill();
  EXPECT_TRUE(eventually([&] { return tagged_processes(folder.path()).empty(); }));
}

INSTANTIATE_TEST_SUITE_P(
    All, Lifetime,
    ::testing::Values(Setting{"cgroup", "hang", "WEIR_TEST_CONTROL=automatic"},
                      Setting{"weir_init", "hang", "WEIR_TEST_CONTROL=init"},
                      Setting{"subreaper", "hang", "WEIR_TEST_ALONE=1"},
                      Setting{"cgroup_suspended", "suspended", "WEIR_TEST_CONTROL=automatic"},
                      Setting{"weir_init_suspended", "suspended", "WEIR_TEST_CONTROL=init"},
                      Setting{"subreaper_suspended", "suspended", "WEIR_TEST_ALONE=1"}),
    [](const auto& tested) { return tested.param.name; });

TEST(HostProcess, a_gibibyte_of_output_stays_under_64_mib) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's shadow memory alone takes more than 64 MiB";
  TestFolder folder;
  Host host({EXEC_TEST_HOST, "flood", folder.path(), WEIR_INIT});
  unsigned long long bytes = 0;
  long peak = 0;
  ASSERT_EQ(std::sscanf(host.read_line().c_str(), "%llu %ld", &bytes, &peak), 2);
  EXPECT_EQ(host.wait(), 0);
  EXPECT_EQ(bytes, 1ULL << 30);
  EXPECT_LT(peak, 64 * 1024);
  EXPECT_EQ(std::filesystem::file_size(folder / "0.log"), 1ULL << 30);
}

TEST(HostProcess, a_job_does_not_reach_the_terminal_of_weir) {
  TestFolder folder;
  Host host({"script", "-qec", std::string(EXEC_TEST_HOST) + " tty " + folder.path() + " " + WEIR_INIT,
             "/dev/null"});
  EXPECT_EQ(host.read_line(), "weir has one, job: none\r");
}

TEST(HostProcess, jobs_run_without_privileges_with_and_without_a_sandbox) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can become somebody else; all other tests run unprivileged anyway";
  TestFolder folder;
  const auto init = copy_program(folder, WEIR_INIT, "weir-init");
  const auto program = copy_program(folder, EXEC_TEST_HOST, "host");
  Host host({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", program, "once",
             folder.path(), init});
  EXPECT_EQ(host.read_line(), "succeeded 65534");
  EXPECT_EQ(host.read_line(), "");
  EXPECT_EQ(host.read_line(), "succeeded 0");
  EXPECT_EQ(host.read_line(), "");
  EXPECT_EQ(host.wait(), 0);
}

}  // namespace
}  // namespace weir
