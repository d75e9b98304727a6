#include "core/exec/weir_init/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>

#include "core/exec/init_protocol.h"
#include "core/exec/weir_init/confine.h"
#include "core/exec/weir_init/run_plan.h"

namespace weir::init {
namespace {

// What a process can have changed of this one, and the next job would inherit: `renice -p $PPID` is enough.
struct Inherited {
  long niceness;
  long io_priority;
  long policy;
  rlimit limits[RLIM_NLIMITS];
  unsigned long cpus[128];
  char oom_score[16];
};

int own_oom_score;  // its file; kept open, since opening it costs more than all else that is looked at

void look_at_self(Inherited& self) {
  memset(&self, 0, sizeof self);
  constexpr long kOneProcess = 1;  // IOPRIO_WHO_PROCESS, and PRIO_PROCESS is 0
  self.niceness = syscall(SYS_getpriority, 0L, 0L, 0L);
  self.io_priority = syscall(SYS_ioprio_get, kOneProcess, 0L, 0L);
  self.policy = syscall(SYS_sched_getscheduler, 0L, 0L, 0L);
  for (int kind = 0; kind < RLIM_NLIMITS; ++kind)
    syscall(SYS_getrlimit, static_cast<long>(kind), &self.limits[kind], 0L);
  syscall(SYS_sched_getaffinity, 0L, static_cast<long>(sizeof self.cpus), self.cpus);
  if (pread(own_oom_score, self.oom_score, sizeof self.oom_score, 0) < 0) self.oom_score[0] = '?';
}

// What a job can have changed of the pipe itself: `chmod 0 /dev/stdout` is enough.
struct Output {
  mode_t mode;
  uid_t uid;
  gid_t gid;
  int size;
};
Output output_before;

void look_at_output(Output& output) {
  memset(&output, 0, sizeof output);
  struct stat file;
  if (fstat(STDOUT_FILENO, &file) != 0) return;
  output.mode = file.st_mode;
  output.uid = file.st_uid;
  output.gid = file.st_gid;
  output.size = fcntl(STDOUT_FILENO, F_GETPIPE_SZ, 0);
}

bool is_output_unchanged() {
  Output now;
  look_at_output(now);
  return __builtin_memcmp(&now, &output_before, sizeof now) == 0;
}

void place(int from, int to, int flags) {
  dup3(from, to, flags);
  close(from);
}

// Flags are those of the pipe and not of a job's descriptor, so one that a job has set would stay for the
// next.
bool reset_output() { return fcntl(STDOUT_FILENO, F_SETFL, 0) == 0; }

// Waits for the next one. What is not in use is /dev/null, so nothing that comes gets its number.
bool receive_plan() {
  char word = 0;
  iovec part{&word, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostHandedOver * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(kServeFd, &message, MSG_CMSG_CLOEXEC) != 1 || word != kPlanWord) return false;
  const auto* header = CMSG_FIRSTHDR(&message);
  static bool has_one = false;
  if (!header) return has_one && reset_output();
  if (header->cmsg_type != SCM_RIGHTS) return false;
  int fds[kMostHandedOver];
  const auto count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (count != 2 && count != kMostHandedOver) return false;
  __builtin_memcpy(fds, CMSG_DATA(header), count * sizeof(int));
  place(fds[0], kPlanFd, O_CLOEXEC);
  dup3(fds[1], STDERR_FILENO, 0);
  place(fds[1], STDOUT_FILENO, 0);
  if (count == kMostHandedOver) {
    place(fds[2], kJobserverReader, 0);
    place(fds[3], kJobserverWriter, 0);
  }
  map_plan();
  look_at_output(output_before);
  return has_one = true;
}

void give_up_plan() {
  forget_plan();
  open_own_input();  // a lock that the job put on its own must not stay
  close(kJobserverReader);
  close(kJobserverWriter);
}

void must_mount(const char* from, const char* to, const char* type, unsigned long flags,
                const void* data = nullptr) {
  if (mount(from, to, type, flags, data) != 0) _exit(kExitNoNamespaces);
}

// If root runs weir, the job is root for the kernel: its settings are guarded by that alone, not by a
// capability.
void guard_settings(const char* path) {
  constexpr unsigned long kBare = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (mount(path, path, nullptr, MS_BIND, nullptr) != 0) return;  // this kernel has none
  must_mount(nullptr, path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | kBare);
}

void make_own_view(const Plan& plan) {
  must_mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE);
  must_mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
  for (const char* path : {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"})
    guard_settings(path);
  if (mount("/dev/null", kKeys, nullptr, MS_BIND, nullptr) != 0 && errno != ENOENT) _exit(kExitNoNamespaces);
  must_mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620");
  for (std::uint32_t i = 0; i < plan.mount_count; ++i) {
    const auto& [from, to] = plan.mounts[i];
    if (*from) must_mount(from, to, nullptr, MS_BIND);
    else must_mount("tmpfs", to, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
  }
  for (const char* path : {kHiddenWork, kHiddenStage, kHiddenProc})
    if (umount2(path, MNT_DETACH) != 0) _exit(kExitNoNamespaces);
}

// All of them, and for good: also those that a program of root would get. Only to map root into user
// namespaces of its own a job keeps one (core/exec/sandbox.cpp).
void give_up_capabilities(bool user_namespaces) {
  for (int capability = 0; capability < 64; ++capability)
    if (!(user_namespaces && capability == CAP_SETFCAP) &&
        prctl(PR_CAPBSET_DROP, static_cast<long>(capability), 0L, 0L, 0L) != 0) {
      if (errno == EINVAL) break;  // behind the last one
      _exit(kExitNoNamespaces);
    }
  prctl(PR_CAP_AMBIENT, static_cast<long>(PR_CAP_AMBIENT_CLEAR_ALL), 0L, 0L, 0L);
  struct {
    std::uint32_t version = _LINUX_CAPABILITY_VERSION_3;
    int pid = 0;
  } of_this;
  const std::uint32_t kept = user_namespaces ? std::uint32_t{1} << CAP_SETFCAP : 0;
  const std::uint32_t left[6] = {kept, kept, 0, 0, 0, 0};
  if (syscall(SYS_capset, &of_this, left, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) != 0)
    _exit(kExitNoNamespaces);
}

// PID 1 of its namespace, with a copy of the memory of the one that serves.
int job_main(void* argument) {
  const auto& plan = *static_cast<const Plan*>(argument);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close(kServeFd);
  close(own_oom_score);  // the server's
  make_own_view(plan);
  give_up_capabilities(has_flag(kUserNamespaces));
  mark_begun();
  look();
  run(plan);
  _exit(0);
}

// Whether a file of /proc has this text in it; if it cannot be read, `unread`.
bool has_text(const char* path, const char* wanted, bool unread) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  char text[1024];
  const auto size = file < 0 ? -1 : read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return unread;
  text[size] = 0;
  for (const char* at = text; *at; ++at)
    if (strncmp(at, wanted, strlen(wanted)) == 0) return true;
  return false;
}

// Sockets that the kernel still keeps for a while would be in the way of a job that wants the same port.
// Those in use and those in TIME_WAIT (of IPv4 and IPv6) are counted per network namespace, orphans for the
// whole machine; an orphan that is not in TIME_WAIT is in use.
bool left_sockets() {
  const bool none = has_text("/proc/self/net/sockstat", "\nTCP: inuse 0 ", false) &&
                    has_text("/proc/self/net/sockstat", " tw 0 ", false) &&
                    has_text("/proc/self/net/sockstat6", "TCP6: inuse 0\n", true);  // there may be no IPv6
  return !none;
}

// What weir says is for the child; what follows from it, too, so nothing else is served after it: then this
// is false.
bool run_in_namespaces(const Plan& plan) {
  alignas(16) static char stack[65536];
  const pid_t job = clone(job_main, stack + sizeof stack, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | SIGCHLD,
                          const_cast<Plan*>(&plan));
  if (job < 0) _exit(kExitNoNamespaces);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, kLookSignal);
  bool heard = false;
  for (;;) {
    int status = 0;
    const pid_t ended = wait4(job, &status, WNOHANG | __WALL, nullptr);
    if (ended == job && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    if (ended == job) break;
    const int signal = sigtimedwait(&set, nullptr, nullptr);
    if (signal != SIGTERM && signal != kLookSignal) continue;
    heard = true;
    kill(job, signal);
  }
  return !heard && !left_sockets();
}

}  // namespace

void serve() {
  bool confined = false;
  place(kPlanFd, kServeFd, O_CLOEXEC);
  fcntl(kServeFd, F_SETFL, O_RDWR);  // it waits there
  open_own_input();
  dup3(STDIN_FILENO, kPlanFd, O_CLOEXEC);
  own_oom_score = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
  static Inherited before, after;
  look_at_self(before);
  while (receive_plan()) {
    end_if_orphaned();
    const Plan plan = read_plan();
    // All plans of one sandbox are alike in this (core/exec/sandbox.h: shape_of).
    if (has_flag(kConfined) && !confined) confine(has_flag(kUserNamespaces));
    confined |= has_flag(kConfined);
    if (has_flag(kOwnNamespaces)) {
      if (!run_in_namespaces(plan)) break;
    } else {
      look();
      run(plan);
    }
    if (heard_signal()) break;
    look_at_self(after);
    if (__builtin_memcmp(&before, &after, sizeof before) != 0 || !is_output_unchanged()) break;
    give_up_plan();
    if (write(kServeFd, &kDoneWord, 1) != 1) break;
  }
  _exit(0);
}

}  // namespace weir::init
