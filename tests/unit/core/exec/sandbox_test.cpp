#include "core/exec/sandbox.h"

#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {
namespace {

JobSpec inside(const std::string& script) {
  auto job = ExecutorFixture::shell(script);
  job.sandbox = SandboxRoot::host;
  return job;
}

TEST(Sandbox, shows_tools_and_the_jobs_directories_and_nothing_else) {
  ExecutorFixture f;
  const auto result = f.run(inside("pwd; ls /; touch /install/x && ls /home /root 2>&1 | head -1"));
  EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence << f.text;
  EXPECT_TRUE(f.text.starts_with("/build\n")) << f.text;
  EXPECT_EQ(f.text.find("home\n"), std::string::npos) << f.text;
  EXPECT_TRUE(std::filesystem::exists(f.folder / "install/x"));
}

TEST(Sandbox, root_and_usr_are_read_only_and_tmp_is_private) {
  ExecutorFixture f;
  const auto result = f.run(
      inside("! touch /x 2>&- && ! touch /usr/x 2>&- && ! touch /etc/x 2>&- && ls -A /tmp && touch /tmp/y"));
  EXPECT_EQ(result.ending, Ending::succeeded) << f.text;
  EXPECT_EQ(f.text, "");
}

TEST(Sandbox, has_a_network_only_if_asked_for) {
  ExecutorFixture f;
  auto job = inside("grep -c : /proc/net/dev");
  EXPECT_EQ(f.run(job).ending, Ending::succeeded);
  EXPECT_EQ(f.text, "1\n");  // lo alone
  job = inside("readlink /proc/self/ns/net");
  job.network = true;
  EXPECT_EQ(f.run(job).ending, Ending::succeeded);
  char host[64] = {};
  ASSERT_GT(::readlink("/proc/self/ns/net", host, sizeof host - 1), 0);
  EXPECT_EQ(f.text, std::string(host) + "\n");
}

TEST(Sandbox, user_is_the_one_of_the_spec_and_environment_is_exact) {
  ExecutorFixture f;
  auto job = inside("id -u; env | sort");
  EXPECT_EQ(f.run(job).ending, Ending::succeeded);
  EXPECT_EQ(f.text, "0\nPATH=/usr/bin:/bin\nPWD=/build\n");  // the shell sets PWD
  job.uid = 1000;
  EXPECT_EQ(f.run(job).ending, Ending::succeeded);
  EXPECT_TRUE(f.text.starts_with("1000\n"));
}

TEST(Sandbox, exit_code_of_the_command_is_told_from_a_failure_of_bubblewrap) {
  ExecutorFixture f;
  const auto command = f.run(inside("exit 1"));
  EXPECT_EQ(command.failure, Failure::command);
  EXPECT_EQ(command.exit, 1);
  LocalExecutorOptions options;
  options.directory = [](JobId, const JobSpec&, std::string_view root) {
    return root == "build" ? std::string("/no/such/directory") : std::string();
  };
  ExecutorFixture broken(options);
  const auto sandbox = broken.run(inside("exit 1"));
  EXPECT_EQ(sandbox.failure, Failure::infra);
  EXPECT_NE(sandbox.evidence.find("/no/such/directory"), std::string::npos) << sandbox.evidence;
}

TEST(Sandbox, failures_of_a_program_are_the_same_inside) {
  ExecutorFixture f;
  auto job = f.spec({"no-such-program"});
  job.sandbox = SandboxRoot::host;
  auto result = f.run(job);
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.exit, 127);
  result = f.run(inside("kill -KILL $$"));
  EXPECT_EQ(result.failure, Failure::oom);
}

TEST(Sandbox, a_compiler_works_inside) {
  ExecutorFixture f;
  if (find_program("cc").empty()) GTEST_SKIP() << "no compiler here";
  std::ofstream(f.folder / "build/a.c") << "int main(void) { return 0; }\n";
  const auto result = f.run(inside("cc a.c -o a && ./a"));
  EXPECT_EQ(result.ending, Ending::succeeded) << f.text;
}

// A link at a place of weir's own would be followed while the sandbox is set up, out of it.
TEST(Sandbox, a_staged_root_does_not_decide_on_places_of_weir) {
  const TestFolder root;
  for (const auto* name :
       {"proc", "dev", "tmp", "build", "install", "source", ".weir-init", ".weir", "other"})
    std::filesystem::create_symlink("/somewhere", root / name);
  SandboxPlan plan;
  plan.staged = true;
  plan.inputs.push_back({root.path(), "/"});
  const auto command = bwrap_command(plan);
  EXPECT_EQ(std::count(command.begin(), command.end(), "/somewhere"), 1);
}

TEST(Sandbox, status_lines_are_read_as_they_come) {
  EXPECT_EQ(parse_sandbox_status("").child_pid, 0);
  EXPECT_EQ(parse_sandbox_status("{ \"child-pid\": 12").child_pid, 0);  // cut off
  EXPECT_EQ(parse_sandbox_status("{ \"child-pid\": 1234, \"x\": 5 }\n").child_pid, 1234);
  EXPECT_TRUE(parse_sandbox_status("{ \"child-pid\": 1 }\n{ \"exit-code\": 0 }\n").child_exited);
}

}  // namespace
}  // namespace weir
