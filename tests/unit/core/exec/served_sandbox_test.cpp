// A sandbox that serves one job after the other: each must find it as if it were new, and none may find more
// than its own.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "core/exec/sandbox.h"
#include "tests/unit/core/exec/process_watch.h"

namespace weir {
namespace {

class ServedSandbox : public ::testing::Test {
 protected:
  ServedSandbox() {
    for (const auto* name : {"work/a/build", "work/a/install", "work/b/build", "work/b/install",
                             "stage/one/lib", "stage/two/lib"})
      std::filesystem::create_directories(folder / name);
    LocalExecutorOptions options;
    options.directory = [this](JobId, const JobSpec& spec, std::string_view root) {
      return root == "build" || root == "install" ? folder / ("work/" + spec.label + "/" + std::string(root))
                                                  : std::string();
    };
    options.stage = [this](JobId, const JobSpec&) { return StagedJob{inputs}; };
    options.served = {folder / "work", folder / "stage"};
    f = std::make_unique<ExecutorFixture>(std::move(options));
  }
  // What has been used twice serves.
  void SetUp() override {
    for (int i = 0; i < 2; ++i) sandbox = run("true");
    ASSERT_EQ(result.ending, Ending::succeeded) << result.evidence << text;
  }
  static JobSpec inside(const std::string& script, const std::string& element = "a") {
    auto job = ExecutorFixture::shell(script);
    job.sandbox = SandboxRoot::host;
    job.label = element;
    return job;
  }
  std::int64_t run(JobSpec job) {
    RecordingSink sink;
    if (!inputs.empty()) job.inputs.push_back({"tree", "/", MountMode::read_only, "dependency"});
    f->start(std::move(job), sink);
    EXPECT_TRUE(f->wait_end(sink));
    result = sink.result;
    text = sink.text;
    return sink.pid;
  }
  std::int64_t run(const std::string& script, const std::string& element = "a") {
    return run(inside(script, element));
  }
  std::string said(const std::string& script) {
    EXPECT_EQ(run(script), sandbox) << "it is another sandbox";
    EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence << text;
    return text;
  }

  TestFolder folder;
  std::vector<StagedInput> inputs;
  std::unique_ptr<ExecutorFixture> f;
  std::int64_t sandbox = 0;
  JobResult result;
  std::string text;
};

TEST_F(ServedSandbox, runs_one_job_after_the_other_in_folders_of_their_own) {
  EXPECT_EQ(run("pwd; echo a > out; echo a > /install/out", "a"), sandbox);
  EXPECT_EQ(text, "/build\n");
  EXPECT_EQ(run("ls /build /install; echo b > out", "b"), sandbox);
  EXPECT_EQ(text, "/build:\n\n/install:\n");
  EXPECT_EQ(read_file(folder / "work/a/build/out"), "a\n");
  EXPECT_EQ(read_file(folder / "work/a/install/out"), "a\n");
  EXPECT_EQ(read_file(folder / "work/b/build/out"), "b\n");
}

TEST_F(ServedSandbox, what_a_job_writes_elsewhere_is_gone) {
  said("for d in /tmp /var/tmp /dev/shm; do echo left > $d/file; mkdir $d/folder; done");
  EXPECT_EQ(said("ls -A /tmp /var/tmp /dev/shm | grep -v :"), "\n\n");
  EXPECT_EQ(
      said("for d in / /dev /usr /etc /.weir /proc/sys/kernel; do touch $d/x 2>&- && echo $d; done; true"),
      "");
}

// weir has the file of its weir-init mapped; shorter, weir itself would die of the next look at it.
TEST_F(ServedSandbox, a_job_cannot_change_the_size_of_its_plan) {
  EXPECT_EQ(
      said("for size in 0 1 100M; do truncate -s $size /proc/1/fd/3 2>/dev/null && echo $size; done; true"),
      "");
  EXPECT_EQ(said("echo next"), "next\n");
}

TEST_F(ServedSandbox, devices_and_shared_memory_work) {
  EXPECT_EQ(said("echo x > /dev/null && head -c 3 /dev/zero | wc -c && head -c 2 /dev/urandom | wc -c && "
                 "echo y > /dev/shm/y && cat /dev/shm/y"),
            "3\n2\ny\n");
}

TEST_F(ServedSandbox, messages_and_shared_memory_of_a_job_are_gone) {
  said("ipcmk -M 4096 -Q -S 1 > /dev/null && [ $(ipcs -m | grep -c 0x) -eq 1 ]");
  EXPECT_EQ(said("ipcs | grep -c 0x || true"), "0\n");
}

TEST_F(ServedSandbox, a_job_sees_its_own_processes_alone_and_none_is_left) {
  const std::string tag = "served-sandbox-" + std::to_string(::getpid()) + "-";
  auto job =
      inside("for i in 1 2 3; do setsid sh -c 'trap \"\" TERM HUP; while :; do :; done' & done; echo up");
  job.environment.emplace_back("WEIR_TEST_TAG", tag);
  EXPECT_EQ(run(job), sandbox);
  EXPECT_TRUE(tagged_processes(tag).empty());
  EXPECT_EQ(said("set -- /proc/[0-9]*; echo $#; tr '\\0' ' ' < /proc/1/cmdline"),
            "2\n/.weir-init ");  // weir-init and the shell
}

TEST_F(ServedSandbox, a_job_has_no_capabilities_and_cannot_get_any) {
  EXPECT_EQ(
      said("grep -E '^(Cap|NoNewPrivs)' /proc/self/status | tr -d '\\t'"),
      "CapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapBnd:0000000000000000\n"
      "CapAmb:0000000000000000\nNoNewPrivs:1\n");
  EXPECT_EQ(
      said("for c in 'mount -t tmpfs x /tmp' 'umount /tmp' 'umount /proc/sys' 'mount -o remount,rw /' 'mount "
           "--bind / /tmp' "
           "'chroot / true' 'hostname other' 'mknod /tmp/x c 1 3'; do $c 2>&- && echo \"$c\"; done; true"),
      "");
}

TEST_F(ServedSandbox, folders_of_other_jobs_cannot_be_seen) {
  std::ofstream(folder / "work/b/build/secret") << "of b";
  EXPECT_EQ(said("grep -c '\\.weir/' /proc/self/mountinfo; find / -xdev -name secret 2>&-; find /.weir "
                 "-mindepth 2 2>&-; true"),
            "0\n");
  EXPECT_EQ(said("for p in /proc/[0-9]*/root /proc/[0-9]*/cwd; do find $p/ -maxdepth 4 -name secret 2>&-; "
                 "done; true"),
            "");
  EXPECT_EQ(said("ls /proc/self/fd | tr '\\n' ' '; for n in mnt pid ipc; do [ -e /proc/1/ns/$n ] && echo $n; "
                 "done; true"),
            "0 1 2 3 ");
}

TEST_F(ServedSandbox, the_kernels_settings_are_read_only_and_the_network_is_none) {
  EXPECT_EQ(said("for s in kernel/hostname kernel/core_pattern vm/overcommit_memory; do echo x 2>&- > "
                 "/proc/sys/$s && echo $s; done; "
                 "(echo h > /proc/sysrq-trigger) 2>&- && echo sysrq; grep -c : /proc/net/dev"),
            "1\n");
}

TEST_F(ServedSandbox, terminals_are_each_jobs_own) {
  const auto script = "script -qc 'echo works' /dev/null | tr -d '\\r'";
  EXPECT_EQ(said(script), "works\n");
  said("chmod 000 /dev/pts/ptmx; chmod 000 /dev/pts");
  EXPECT_EQ(said(script), "works\n");
}

// What the first process of a job stands in, others have too.
TEST_F(ServedSandbox, the_first_process_stands_in_nobodys_folder) {
  EXPECT_EQ(said("readlink /proc/1/cwd || true; (echo x > /proc/1/cwd/x) 2>&- || echo refused"), "refused\n");
}

TEST_F(ServedSandbox, settings_of_the_machine_are_read_only_as_in_a_sandbox_of_its_own) {
  EXPECT_EQ(said("for f in /proc/irq/default_smp_affinity /proc/irq/*/smp_affinity; do [ -e $f ] || "
                 "continue; v=$(cat $f); "
                 "(echo $v > $f) 2>&- && echo $f; done; true"),
            "");
}

TEST(ServedSandboxes, show_the_same_as_those_of_one_job) {
  ExecutorFixture paths;
  LocalExecutorOptions options;
  std::filesystem::create_directory(paths.folder / "stage");
  options.served = {paths.folder.path(), paths.folder / "stage"};
  options.directory = [&](JobId, const JobSpec&, std::string_view root) {
    return root == "build" || root == "install" ? paths.folder / std::string(root) : std::string();
  };
  ExecutorFixture f(std::move(options));
  std::vector<std::string> seen;
  for (int i = 0; i < 3; ++i) {
    // The links of /proc are the processes of the machine, and ls makes a column as wide as its widest
    // number.
    auto job = f.shell(
        "ls -lA --time-style=+ / /.weir /dev /dev/pts /var | grep -vE '^total| proc$' | tr -s ' '; "
        "stat -c '%n %a %u %F' /tmp /var/tmp /dev/shm /build; env");
    job.sandbox = SandboxRoot::host;
    EXPECT_EQ(f.run(job).ending, Ending::succeeded);
    seen.push_back(f.text);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[1], seen[2]);
}

TEST_F(ServedSandbox, inputs_are_each_jobs_own_and_read_only) {
  std::ofstream(folder / "stage/one/lib/name") << "one\n";
  std::ofstream(folder / "stage/two/lib/name") << "two\n";
  const auto script = "cat /weir/lib/name; touch /weir/x 2>&- || echo refused; ls /.weir/stage";
  inputs = {{folder / "stage/one", "/weir"}};
  run("true");
  const auto with_inputs = run(script);
  EXPECT_EQ(text, "one\nrefused\n");
  inputs = {{folder / "stage/two", "/weir"}};
  EXPECT_EQ(run(script), with_inputs);
  EXPECT_EQ(text, "two\nrefused\n");
  EXPECT_NE(with_inputs, sandbox);
  inputs.clear();
  EXPECT_EQ(said("ls -d /weir 2>&- || echo none"), "none\n");
}

TEST_F(ServedSandbox, a_staged_root_serves_jobs_with_the_same_root) {
  std::filesystem::create_directories(folder / "stage/one/bin");
  std::filesystem::copy("/bin/busybox", folder / "stage/one/bin/busybox");
  std::filesystem::create_symlink("busybox", folder / "stage/one/bin/sh");
  std::filesystem::create_symlink("busybox", folder / "stage/one/bin/ls");
  inputs = {{folder / "stage/one", "/"}};
  std::vector<std::int64_t> pids;
  for (int i = 0; i < 3; ++i) {
    auto job = inside("ls / && echo made > /install/it");
    job.sandbox = SandboxRoot::staged;
    pids.push_back(run(job));
    EXPECT_EQ(text, "bin\nbuild\ndev\ninstall\nlib\nproc\ntmp\n") << result.evidence;
  }
  EXPECT_NE(pids[0], pids[1]);
  EXPECT_EQ(pids[1], pids[2]);
}

// A job with a server `s`, its client `c` and `a`, which is the server's end, that closes them with `end`.
std::string with_sockets(const std::string& address, const std::string& end) {
  return "ip link set lo up 2>&-; cat > s.py <<'E'\nimport socket\nat = (\"" + address +
         "\", 8123)\ns = socket.socket(socket.AF_INET6 if ':' in at[0] else socket.AF_INET); s.bind(at); "
         "s.listen()\n" +
         "c = socket.create_connection(at); a, _ = s.accept()\n" + end + "E\npython3 s.py && echo served";
}

TEST_F(ServedSandbox, ports_that_a_job_leaves_behind_are_not_met_by_the_next) {
  for (const std::string address : {"127.0.0.1", "::1"}) {
    const auto script = with_sockets(address, "a.close(); c.close(); s.close()\n");
    const auto first = run(script);
    EXPECT_EQ(text, "served\n");
    EXPECT_NE(run(script), first) << address;
    EXPECT_EQ(text, "served\n") << address << ": the port was still taken";
  }
}

// Closed with data on its way to somebody who does not read it: nobody has it, and the kernel keeps it.
TEST_F(ServedSandbox, connections_that_others_leave_behind_do_not_end_it) {
  const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  const std::string much(65536, 'x');
  while (::send(client.get(), much.data(), much.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  client.reset();
  said("true");
  said("true");
}

TEST_F(ServedSandbox, one_whose_job_failed_serves_no_more) {
  EXPECT_EQ(run("exit 7"), sandbox);
  EXPECT_EQ(result.failure, Failure::command);
  EXPECT_EQ(result.exit, 7);
  EXPECT_NE(run("true"), sandbox);
  EXPECT_EQ(result.ending, Ending::succeeded);
}

TEST_F(ServedSandbox, a_job_is_told_to_end_and_may_finish) {
  RecordingSink sink;
  const auto job = f->start(inside("trap 'echo ended; exit 0' TERM; echo up; while :; do :; done"), sink);
  ASSERT_TRUE(f->wait_text(sink, "up"));
  EXPECT_EQ(sink.pid, sandbox);
  f->executor->stop(job, StopReason::cancelled, std::chrono::seconds(50));
  ASSERT_TRUE(f->wait_end(sink));
  EXPECT_EQ(sink.text, "up\nended\n");
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
  EXPECT_NE(run("true"), sandbox);
}

TEST_F(ServedSandbox, a_job_is_killed_with_all_it_started) {
  const std::string tag = "served-kill-" + std::to_string(::getpid()) + "-";
  RecordingSink sink;
  auto job = inside("trap '' TERM; setsid sleep 1000 & echo up; while :; do :; done");
  job.environment.emplace_back("WEIR_TEST_TAG", tag);
  const auto id = f->start(job, sink);
  ASSERT_TRUE(f->wait_text(sink, "up"));
  f->executor->stop(id, StopReason::cancelled, Duration::zero());
  ASSERT_TRUE(f->wait_end(sink));
  EXPECT_TRUE(eventually([&] { return tagged_processes(tag).empty(); }));
  EXPECT_EQ(sink.result.ending, Ending::cancelled);
}

TEST_F(ServedSandbox, usage_and_steps_are_those_of_the_job) {
  auto job = inside("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
  job.steps.push_back(RunStep{{"true"}});
  EXPECT_EQ(run(job), sandbox);
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_GT(result.usage.cpu, Duration::zero());
  EXPECT_GT(result.usage.peak_bytes, 100'000U);
  const auto much = result.usage.cpu;
  said("true");
  EXPECT_LT(result.usage.cpu, much);
}

TEST_F(ServedSandbox, a_killed_one_is_out_of_memory_and_replaced) {
  RecordingSink sink;
  f->start(inside("echo up; while :; do :; done"), sink);
  ASSERT_TRUE(f->wait_text(sink, "up"));
  ::kill(static_cast<pid_t>(sink.pid), SIGKILL);
  ASSERT_TRUE(f->wait_end(sink));
  EXPECT_EQ(sink.result.failure, Failure::oom) << sink.result.evidence;
  EXPECT_NE(run("true"), sandbox);
  EXPECT_EQ(result.ending, Ending::succeeded);
}

TEST(ServedSandboxes, where_none_can_be_had_each_job_has_its_own) {
  LocalExecutorOptions options;
  ExecutorFixture paths;
  options.served = {paths.folder.path(), paths.folder / "not there"};
  options.directory = [&](JobId, const JobSpec&, std::string_view root) {
    return root == "build" || root == "install" ? paths.folder / std::string(root) : std::string();
  };
  ExecutorFixture f(std::move(options));
  for (int i = 0; i < 4; ++i) {
    auto job = f.shell("echo fine");
    job.sandbox = SandboxRoot::host;
    const auto result = f.run(job);
    EXPECT_EQ(result.ending, Ending::succeeded) << result.evidence;
    EXPECT_EQ(f.text, "fine\n");
  }
}

TEST(ServedSandboxes, only_what_is_alike_is_served_by_one) {
  const ServedFolders folders{"/work", "/stage"};
  SandboxPlan plan;
  plan.build = "/work/a/build";
  plan.install = "/work/a/install";
  EXPECT_TRUE(can_be_served(plan, folders));
  EXPECT_FALSE(can_be_served(plan, {}));
  const auto refuse = [&](auto change) {
    auto other = plan;
    change(other);
    return !can_be_served(other, folders);
  };
  EXPECT_TRUE(refuse([](auto& p) { p.uid = 1000; }));
  EXPECT_TRUE(refuse([](auto& p) { p.network = true; }));
  EXPECT_TRUE(refuse([](auto& p) { p.jobserver = "/work/fifo"; }));
  EXPECT_TRUE(refuse([](auto& p) { p.build = "/elsewhere/build"; }));
  EXPECT_TRUE(refuse([](auto& p) { p.inputs = {{"/elsewhere/tree", "/weir"}}; }));
  EXPECT_FALSE(refuse([](auto& p) { p.inputs = {{"/stage/tree", "/weir"}}; }));
  auto with_input = plan;
  with_input.inputs = {{"/stage/one", "/weir"}};
  auto with_other = plan;
  with_other.inputs = {{"/stage/two", "/weir"}};
  EXPECT_EQ(shape_of(with_input), shape_of(with_other));
  EXPECT_NE(shape_of(with_input), shape_of(plan));
  with_input.inputs[0].inside = with_other.inputs[0].inside = "/";
  with_input.staged = with_other.staged = true;
  EXPECT_NE(shape_of(with_input), shape_of(with_other));
}

}  // namespace
}  // namespace weir
