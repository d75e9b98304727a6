#include "core/exec/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/base/private_fds.h"
#include "core/exec/process_limit.h"

namespace weir {
namespace {

// Lives in the caller's frame; the child writes its failure here (the memory is shared) and the caller reads
// it.
struct Shared {
  const SpawnRequest* request;
  bool in_cgroup;  // by the kernel
  uid_t uid;
  gid_t gid;
  ProcessLimitKinds limits;
  struct {
    char digits[12];
    std::size_t size;
  } process_limit;               // nothing: none
  const std::string* oom_score;  // null: as it is
  SpawnStage stage = SpawnStage::none;
  int error = 0;
};

// Below here, up to spawn(): only system calls. No allocation, no lock, nothing that knows of threads.

// Not _exit: TSan intercepts it and would sleep and report for the caller, whose memory this is.
[[noreturn]] void leave(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

[[noreturn]] void give_up(Shared& shared, SpawnStage stage) {
  shared.error = errno ? errno : EINVAL;
  shared.stage = stage;
  leave(127);
}

bool write_file(int directory, const char* path, const char* text, std::size_t size) {
  const auto fd = static_cast<int>(syscall(SYS_openat, directory, path, O_WRONLY | O_CLOEXEC));
  if (fd < 0) return false;
  const bool written = syscall(SYS_write, fd, text, size) == static_cast<long>(size);
  const int error = errno;
  syscall(SYS_close, fd);
  errno = error;
  return written;
}

// "1000 1000 1"
bool map_id(const char* path, unsigned id) {
  char digits[12];
  std::size_t count = 0;
  do digits[count++] = static_cast<char>('0' + id % 10);
  while (id /= 10);
  char line[32];
  std::size_t size = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = count; i > 0; --i) line[size++] = digits[i - 1];
    line[size++] = ' ';
  }
  line[size++] = '1';
  return write_file(AT_FDCWD, path, line, size);
}

bool map_own_ids(const Shared& shared) {
  return write_file(AT_FDCWD, "/proc/self/setgroups", "deny", 4) &&
         map_id("/proc/self/uid_map", shared.uid) && map_id("/proc/self/gid_map", shared.gid);
}

bool mount_own_proc() {
  return syscall(SYS_mount, nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0 &&
         syscall(SYS_mount, "proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

ProcessLimitKinds limits_of_this_kernel() {
  static const auto limits = [] {
    utsname system{};
    return ::uname(&system) == 0 ? process_limits_of(system.release) : ProcessLimitKinds{};
  }();
  return limits;
}

// What it kills for want of memory the kernel chooses by size, and what fills a tmpfs is small: weir would be
// the largest. As if it had a fifth of all memory more.
const std::string& expendable_score() {
  static const std::string score = [] {
    constexpr int kMore = 200, kMost = 1000;
    std::ifstream file("/proc/self/oom_score_adj");
    int own = 0;
    file >> own;
    return std::to_string(std::min(own + kMore, kMost));
  }();
  return score;
}

// Where neither can be had a job has the limits that weir has.
void limit_processes(const Shared& shared) {
  const auto& limit = shared.process_limit;
  constexpr auto kFile = "/proc/sys/kernel/pid_max";
  if (shared.limits.by_pid) write_file(AT_FDCWD, kFile, limit.digits, limit.size);
  if (!shared.limits.by_user) return;
  const struct {
    std::uint64_t current, most;
  } processes{shared.request->most_processes, shared.request->most_processes};
  syscall(SYS_prlimit64, 0, RLIMIT_NPROC, &processes, nullptr);
}

// Bubblewrap binds the devices of the machine into a sandbox. If root runs weir the job is their owner and
// could change their modes for everybody; on a mount that is read-only they can still be written to. Where
// /dev is no mount it is made one. For all but root this is neither needed nor allowed.
void protect_devices() {
  constexpr auto kReadOnly = MS_REMOUNT | MS_BIND | MS_RDONLY;
  if (syscall(SYS_mount, nullptr, "/dev", nullptr, kReadOnly, nullptr) == 0) return;
  if (syscall(SYS_mount, "/dev", "/dev", nullptr, MS_BIND | MS_REC, nullptr) == 0)
    syscall(SYS_mount, nullptr, "/dev", nullptr, kReadOnly, nullptr);
}

// All, also where the kernel has done it (CLONE_CLEAR_SIGHAND): that leaves ignored what weir or whoever
// started it ignores, and then `yes | head` would go on for ever in a job.
void reset_handlers() {
  // The kernel's own layout; glibc's sigaction refuses the signals it uses itself.
  struct KernelAction {
    void* handler = nullptr;
    unsigned long flags = 0;
    void* restorer = nullptr;
    std::uint64_t mask = 0;
  } const standard;
  for (int signal = 1; signal <= 64; ++signal)
    syscall(SYS_rt_sigaction, signal, &standard, nullptr, sizeof(std::uint64_t));
}

// Sources that would be overwritten before their turn are first moved out of the way.
bool place_descriptors(std::span<const int> fds) {
  const auto count = static_cast<int>(fds.size());
  int from[16];
  if (count > 16) return false;
  for (int i = 0; i < count; ++i) {
    from[i] = fds[static_cast<std::size_t>(i)];
    if (from[i] < 0) continue;
    if (from[i] < count) from[i] = static_cast<int>(syscall(SYS_fcntl, from[i], F_DUPFD_CLOEXEC, count));
    if (from[i] < 0) return false;
  }
  for (int i = 0; i < count; ++i) {
    if (from[i] < 0) syscall(SYS_close, i);
    else if (syscall(SYS_dup3, from[i], i, 0) < 0) return false;
  }
  return syscall(SYS_close_range, count, ~0U, 0) == 0;
}

// The child shares the table of the caller until here, and copies what is below the private ones, or what it
// needs.
bool own_descriptors(const SpawnRequest& request) {
  int first = kFirstPrivateFd;
  for (const int fd : request.fds)
    if (fd >= first) first = fd + 1;
  if (request.cgroup >= first) first = request.cgroup + 1;
  return syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_UNSHARE) == 0 ||
         syscall(SYS_unshare, CLONE_FILES) == 0;
}

// A group of its own and no terminal. Not setsid: with the kernel's autogroups each session is a scheduling
// group, and a new one per job cost half as much again as the job (1.36 x of posix_spawn became 2.3 x on a
// busy machine). A process that does not lead its session can give up the terminal for itself and all its
// children.
void leave_terminal() {
  syscall(SYS_setpgid, 0, 0);
  const auto terminal =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (terminal < 0) return;
  syscall(SYS_ioctl, terminal, TIOCNOTTY);
  syscall(SYS_close, terminal);
}

int child_main(void* argument) {
  auto& shared = *static_cast<Shared*>(argument);
  const auto& request = *shared.request;
  errno = 0;
  if (!own_descriptors(request)) give_up(shared, SpawnStage::descriptors);
  reset_handlers();
  if ((request.namespaces & CLONE_NEWUSER) && !map_own_ids(shared)) give_up(shared, SpawnStage::identity);
  if (request.own_proc && !mount_own_proc()) give_up(shared, SpawnStage::proc);
  if (request.own_proc && !(request.namespaces & CLONE_NEWUSER)) protect_devices();
  if (shared.process_limit.size) limit_processes(shared);
  if (shared.oom_score)
    write_file(AT_FDCWD, "/proc/self/oom_score_adj", shared.oom_score->data(), shared.oom_score->size());
  if (request.cgroup >= 0 && !shared.in_cgroup && !write_file(request.cgroup, "cgroup.procs", "0", 1))
    give_up(shared, SpawnStage::cgroup);
  if (!request.path) leave(0);
  if (!request.keep_terminal) leave_terminal();
  if (request.death_signal) syscall(SYS_prctl, PR_SET_PDEATHSIG, request.death_signal, 0, 0, 0);
  if (request.directory && syscall(SYS_chdir, request.directory) != 0) give_up(shared, SpawnStage::directory);
  if (!place_descriptors(request.fds)) give_up(shared, SpawnStage::descriptors);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &request.signal_mask, nullptr, sizeof request.signal_mask);
  syscall(SYS_execve, request.path, request.argv, request.environment);
  give_up(shared, SpawnStage::exec);
}

// valgrind, by which bench/run counts instructions, knows no clone with a shared table of descriptors; it
// shows by what it preloads.
std::uint64_t sharing() {
  static const bool counted = [] {
    const char* preloaded = std::getenv("LD_PRELOAD");
    return preloaded && std::strstr(preloaded, "vgpreload_");
  }();
  return CLONE_VM | CLONE_VFORK | CLONE_PIDFD | (counted ? 0 : CLONE_FILES);
}

#if defined(__x86_64__)
// glibc exports no clone3. The child starts on `stack` with nothing on it and calls child_main, which does
// not return.
long clone3_on_stack(clone_args* args, Shared* shared) {
  register long result __asm__("rax") = SYS_clone3;
  register Shared* argument __asm__("r12") = shared;
  register int (*entry)(void*) __asm__("r13") = child_main;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r12, %%rdi\n\t"
      "call *%%r13\n\t"
      "ud2\n\t"
      "1:"
      : "+r"(result)
      : "D"(args), "S"(sizeof *args), "r"(argument), "r"(entry)
      : "rcx", "r11", "memory", "cc");
  return result;
}
#else
long clone3_on_stack(clone_args*, Shared*) { return -ENOSYS; }
#endif

long try_clone3(Shared& shared, char* stack, std::size_t size, int* pidfd) {
  clone_args args{};
  args.flags = sharing() | CLONE_CLEAR_SIGHAND | shared.request->namespaces;
  args.pidfd = reinterpret_cast<std::uintptr_t>(pidfd);
  args.exit_signal = SIGCHLD;
  args.stack = reinterpret_cast<std::uintptr_t>(stack);
  args.stack_size = size;
  shared.in_cgroup = shared.request->cgroup >= 0;
  if (shared.in_cgroup) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(shared.request->cgroup);
  }
  return clone3_on_stack(&args, &shared);
}

long try_clone(Shared& shared, char* stack, std::size_t size, int* pidfd) {
  shared.in_cgroup = false;
  const auto flags = static_cast<int>(sharing() | shared.request->namespaces) | SIGCHLD;
  const int pid = clone(child_main, stack + size, flags, &shared, pidfd);
  return pid < 0 ? -errno : pid;
}

void reap(int pidfd) {
  while (syscall(SYS_waitid, P_PIDFD, pidfd, nullptr, WEXITED, nullptr) < 0 && errno == EINTR) {
  }
}

}  // namespace

Spawned spawn(const SpawnRequest& request) {
  alignas(64) char stack[16384];  // the child's; system calls need little
  Shared shared{&request, false, geteuid(), getegid(), limits_of_this_kernel(), {}, nullptr};
  if (request.expendable) shared.oom_score = &expendable_score();
  if ((request.namespaces & CLONE_NEWPID) && request.most_processes)
    shared.process_limit.size = static_cast<std::size_t>(std::snprintf(
        shared.process_limit.digits, sizeof shared.process_limit.digits, "%u", request.most_processes));
  // A handler of the caller must not run in the child, where it would see the caller's memory.
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  int pidfd = -1;
  long pid = request.plain_clone ? -ENOSYS : try_clone3(shared, stack, sizeof stack, &pidfd);
  if (pid == -ENOSYS) pid = try_clone(shared, stack, sizeof stack, &pidfd);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);

  Spawned result;
  if (pid < 0) {
    result.stage = SpawnStage::clone;
    result.error = static_cast<int>(-pid);
    return result;
  }
  result.pidfd = UniqueFd(pidfd);
  if (shared.error) {
    reap(pidfd);
    result.pidfd.reset();
    result.stage = shared.stage;
    result.error = shared.error;
    return result;
  }
  result.pid = static_cast<pid_t>(pid);
  return result;
}

bool can_unshare(std::uint64_t namespaces, bool own_proc) {
  SpawnRequest request;
  request.namespaces = namespaces;
  request.own_proc = own_proc;
  const auto child = spawn(request);
  if (child.pid < 0) return false;
  reap(child.pidfd.get());
  return true;
}

}  // namespace weir
