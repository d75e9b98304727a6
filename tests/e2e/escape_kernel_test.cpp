// Attempts by system calls: keys, namespaces, tracing, sockets, devices, what the machine shares. Most are
// made by tests/tools/escape_attempt.cpp, which has no shell and no file of the host in between.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#include "tests/e2e/escape.h"
#include "tests/e2e/run_facts.h"

namespace weir::test::escape {
namespace {

std::vector<std::string> names_of_attempts() { return lines_of(run_program("/", {WEIR_ESCAPE_ATTEMPT})); }

// What only an own user namespace gives, and the capability that it takes to map root into one.
bool needs_namespace(const std::string& name) {
  constexpr const char* kNames[] = {"unshare the user",
                                    "clone with a user namespace",
                                    "clone3",
                                    "setns",
                                    "unshare of 32 bits",
                                    "clone3 of 32 bits",
                                    "open_tree",
                                    "move_mount",
                                    "fsopen",
                                    "fsconfig",
                                    "fsmount",
                                    "fspick",
                                    "mount_setattr",
                                    "get a capability"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

class EscapeByCalls : public Escape {
 protected:
  // A file of the sources; it takes the name of the attempt, and the number of this test as its argument.
  std::set<std::string> achieved_calls(const std::vector<std::string>& names, const std::string& argument) {
    fs::copy_file(WEIR_ESCAPE_ATTEMPT, project_.path() + "/src/escape_attempt",
                  fs::copy_options::overwrite_existing);
    std::vector<Attempt> attempts;
    for (const auto& name : names)
      attempts.push_back({name, "exec ./escape_attempt '" + name + "' " + argument});
    auto all = achieved(attempts);
    EXPECT_EQ(all.erase("control"), 1u);
    return all;
  }
};

// What the machine has for all its processes, under one number.
class SharedObjects {
 public:
  explicit SharedObjects(int key)
      : memory_(::shmget(key, 4096, IPC_CREAT | 0666)),
        semaphores_(::semget(key, 1, IPC_CREAT | 0666)),
        messages_(::msgget(key, IPC_CREAT | 0666)),
        queue_name_("/weir-escape-" + std::to_string(key)),
        queue_(::mq_open(queue_name_.c_str(), O_RDWR | O_CREAT, 0666, nullptr)) {
    if (queue_ >= 0) ::fchmod(queue_, 0666);
  }
  ~SharedObjects() {
    ::shmctl(memory_, IPC_RMID, nullptr);
    ::semctl(semaphores_, 0, IPC_RMID);
    ::msgctl(messages_, IPC_RMID, nullptr);
    ::mq_close(queue_);
    ::mq_unlink(queue_name_.c_str());
  }
  bool complete() const { return memory_ >= 0 && semaphores_ >= 0 && messages_ >= 0; }

 private:
  int memory_, semaphores_, messages_;
  std::string queue_name_;
  mqd_t queue_;
};

// weir runs in a session that has this key.
std::function<bool()> with_key(const std::string& name) {
  return [name] {
    return ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) >= 0 &&
           ::syscall(SYS_add_key, "user", name.c_str(), "secret", 6, KEY_SPEC_SESSION_KEYRING) >= 0;
  };
}

TEST_P(EscapeByCalls, no_system_call_leads_out) {
  const auto number = std::to_string(::getpid());
  const SharedObjects shared(::getpid());
  ASSERT_TRUE(shared.complete());
  guest_.before = with_key(number);
  EXPECT_TRUE(call_as(guest_, [] { return true; })) << "this kernel has no keys";
  EXPECT_EQ(achieved_calls(names_of_attempts(), number), std::set<std::string>{});
  expect_no_harm();
}

// A key of the project: then it may make them, and nothing else more than before.
TEST_P(EscapeByCalls, user_namespaces_where_they_are_allowed_lead_nowhere_else) {
  const auto number = std::to_string(::getpid());
  project_.file("weir.toml", project_text("user-namespaces = true\n"));
  guest_.before = with_key(number);
  auto all = achieved_calls(names_of_attempts(), number);
  EXPECT_TRUE(all.contains("clone with a user namespace"));
  std::erase_if(all, needs_namespace);
  EXPECT_EQ(all, std::set<std::string>{});
  expect_no_harm();
}

TEST_P(EscapeByCalls, user_namespaces_of_a_job_change_no_mount_of_the_sandbox) {
  project_.file("weir.toml", project_text("user-namespaces = true\n"));
  std::vector<Attempt> attempts;
  for (const std::string around : {"unshare -Urm ", "unshare -Urmpf "}) {
    const auto inside = [&](const std::string& command) { return around + "sh -ec '" + command + "'"; };
    const std::string write = "echo evil > $WEIR_PREFIX/word";
    attempts.push_back({around + "remount", inside("mount -o remount,rw,bind $WEIR_PREFIX; " + write)});
    attempts.push_back(
        {around + "bind",
         inside("mkdir -p b; mount --bind $WEIR_PREFIX b; mount -o remount,rw,bind b; echo > b/word")});
    attempts.push_back({around + "umount", inside("umount $WEIR_PREFIX")});
    attempts.push_back({around + "lazy umount", inside("umount -l $WEIR_PREFIX; ")});
    attempts.push_back({around + "umount of the output", inside("umount /install")});
    attempts.push_back({around + "a new proc", inside("mkdir -p p; mount -t proc proc p")});
    attempts.push_back({around + "a setting", inside(": >> /proc/sys/kernel/core_pattern")});
    attempts.push_back({around + "the keys", inside("umount /proc/keys")});
    attempts.push_back({around + "a disk", inside("mknod disk b 8 0")});
    attempts.push_back({around + "files of the machine", inside("ls -d " + project_.path() + "/secret")});
  }
  attempts.push_back({"any at all", "unshare -Ur true"});
  EXPECT_EQ(achieved(attempts), (std::set<std::string>{"control", "any at all"}));
  expect_no_harm();
}

// The incident: a job that sent its PID 1 a TERM was lost, and run again.
TEST_P(EscapeByCalls, signals_to_the_first_process_change_nothing) {
  project_.file(
      "weir.toml",
      project_text() + "[element.loud]\nkind = \"script\"\n" +
          (GetParam().staged ? "depends = [\"base\"]\n" : "") +
          "config.commands = [\"for s in TERM INT HUP USR1 USR2 CHLD STOP TSTP KILL ABRT 34 64; do kill "
          "-$s 1; done\", \"echo done > $WEIR_OUT/done\"]\n");
  const auto built = weir({"build", "loud"});
  EXPECT_EQ(built.exit, 0) << built.err;
  EXPECT_EQ(content(checkout("loud") + "/done"), "done\n");
}

TEST_P(EscapeByCalls, nothing_of_the_machine_below_proc_can_be_written) {
  const auto settings =
      "for f in $(find /proc ! -path '/proc/[0-9]*' ! -path '/proc/self*' ! -path '/proc/thread-self*' ! "
      "-path "
      "'/proc/pressure/*' ! -path /proc/keys -type f); do (: >> $f) && echo $f >> $WEIR_OUT/achieved; done; "
      "exit 1";
  expect_none_achieved({
      {"a file of proc", settings},
      {"sys", "ls /sys/kernel || ls /sys/fs/cgroup || ls /sys/class"},
      {"a cgroup", "mkdir /sys/fs/cgroup/x || mkdir /cgroup/x"},
      {"a uid map", "echo 0 0 4294967295 > /proc/self/uid_map"},
      {"more descriptors than the usual",
       "for f in /proc/$$/fd/*; do test -L $f || continue; case $f in */0|*/1|*/2|*/9|*/10|*/255) ;; *) exit "
       "0;; esac; done; exit 1"},
      {"a process of another job",
       "for p in /proc/[0-9]*; do test ${p#/proc/} -lt 3 || test -e "
       "$p/root/build || exit 0; done; exit 1"},
      {"another user", "exec perl -e '$< = $> = 4711; exit($> == 4711 ? 0 : 1)'"},
      {"a group", "exec perl -e '$( = $) = 4711; exit($) == 4711 ? 0 : 1)'"},
      {"the oom killer spares it", "echo -1000 > /proc/self/oom_score_adj"},
  });
}

// Programs that a build makes may have any bit: without capabilities and with no_new_privs none means
// anything.
TEST_P(EscapeByCalls, a_setuid_program_of_the_job_is_a_program_like_others) {
  const auto built = build(
      "set -e; cp \"$(command -v cat)\" own; chmod 6755 own; ./own < /dev/null; ./own /proc/self/status > "
      "status\n"
      "grep -q '^NoNewPrivs:.1' status; ! grep -q '^CapEff:.*[1-9a-f]' status; ! grep -q "
      "'^CapBnd:.*[1-9a-f]' status; "
      "grep -q '^Seccomp:.2' status");
  EXPECT_EQ(built.exit, 0) << built.err;
  expect_no_harm();
}

TEST_P(EscapeByCalls, a_debugger_works_on_the_processes_of_the_job) {
  const auto attach = "syscall(" + std::to_string(SYS_ptrace) + ", 16, $child, 0, 0)";  // PTRACE_ATTACH
  EXPECT_EQ(build("exec perl -e 'use strict; my $child = fork; if (!$child) { exec(\"sleep\", \"1000\") } "
                  "my $seized = " +
                  attach + "; kill 9, $child; waitpid($child, 0); exit($seized == 0 ? 0 : 1)'\n")
                .exit,
            0);
}

INSTANTIATE_TEST_SUITE_P(As, EscapeByCalls, testing::ValuesIn(kEverywhere),
                         [](const auto& where) { return where.param.name; });

}  // namespace
}  // namespace weir::test::escape
