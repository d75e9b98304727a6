#include "plugins/host/seal.h"

#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace weir {

namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;  // not known
#endif

// Memory, the end of the process and what abort() needs, so that it is seen as what it is.
constexpr unsigned kAllowed[] = {
    SYS_brk,        SYS_mmap,         SYS_munmap,         SYS_mremap,       SYS_mprotect,
    SYS_madvise,    SYS_futex,        SYS_sched_yield,    SYS_getrandom,    SYS_exit,
    SYS_exit_group, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_tgkill,
    SYS_gettid,     SYS_getpid};

int report_to = -1;

void answer_with(ucontext_t* context, long value) {
#if defined(__x86_64__)
  context->uc_mcontext.gregs[REG_RAX] = value;
#elif defined(__aarch64__)
  context->uc_mcontext.regs[0] = static_cast<unsigned long long>(value);
#endif
}

void on_forbidden_call(int, siginfo_t* info, void* context) {
  char line[40] = "{\"called\":";
  std::size_t size = 10;
  char digits[12];
  int count = 0;
  for (unsigned rest = static_cast<unsigned>(info->si_syscall); count == 0 || rest > 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) line[size++] = digits[--count];
  line[size++] = '}';
  line[size++] = '\n';
  [[maybe_unused]] const auto written = ::write(report_to, line, size);
  answer_with(static_cast<ucontext_t*>(context), -EPERM);
}

std::vector<sock_filter> filter_for(int report) {
  std::vector<sock_filter> code;
  const auto load = [&](std::size_t offset) {
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)));
  };
  const auto equal = [](unsigned value, unsigned char yes, unsigned char no) -> sock_filter {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
  };
  const auto end = [&](unsigned verdict) { code.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); };
  load(offsetof(seccomp_data, arch));
  code.push_back(equal(kArchitecture, 1, 0));
  end(SECCOMP_RET_KILL_PROCESS);  // the calls of another architecture have other numbers
  load(offsetof(seccomp_data, nr));
  for (const auto number : kAllowed) {
    code.push_back(equal(number, 0, 1));
    end(SECCOMP_RET_ALLOW);
  }
  code.push_back(equal(SYS_write, 1, 0));
  end(SECCOMP_RET_TRAP);
  load(offsetof(seccomp_data, args[0]));  // its lower half: both architectures are little-endian
  code.push_back(equal(static_cast<unsigned>(report), 1, 0));
  end(SECCOMP_RET_TRAP);
  end(SECCOMP_RET_ALLOW);
  return code;
}

}  // namespace

Status seal_process(int report) {
  if (kArchitecture == 0) return fail(Reason::system, "system calls of this kind of machine are not known");
  report_to = report;
  struct sigaction action {};
  action.sa_sigaction = on_forbidden_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  if (::sigaction(SIGSYS, &action, nullptr) != 0) return fail_errno("catching forbidden calls");
  auto code = filter_for(report);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("giving up privileges");
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return fail_errno("forbidding system calls (seccomp)");
  return {};
}

std::string system_call_name(long number) {
#define WEIR_CALL(name) \
  { SYS_##name, #name }
  static constexpr std::pair<long, const char*> kNames[] = {
    WEIR_CALL(read),
    WEIR_CALL(write),
    WEIR_CALL(close),
    WEIR_CALL(openat),
    WEIR_CALL(fstat),
    WEIR_CALL(newfstatat),
    WEIR_CALL(statx),
    WEIR_CALL(lseek),
    WEIR_CALL(pread64),
    WEIR_CALL(pwrite64),
    WEIR_CALL(readv),
    WEIR_CALL(writev),
    WEIR_CALL(ioctl),
    WEIR_CALL(fcntl),
    WEIR_CALL(dup),
    WEIR_CALL(dup3),
    WEIR_CALL(pipe2),
    WEIR_CALL(faccessat),
    WEIR_CALL(faccessat2),
    WEIR_CALL(readlinkat),
    WEIR_CALL(getdents64),
    WEIR_CALL(mkdirat),
    WEIR_CALL(unlinkat),
    WEIR_CALL(renameat2),
    WEIR_CALL(chdir),
    WEIR_CALL(getcwd),
    WEIR_CALL(socket),
    WEIR_CALL(connect),
    WEIR_CALL(bind),
    WEIR_CALL(sendto),
    WEIR_CALL(recvfrom),
    WEIR_CALL(sendmsg),
    WEIR_CALL(recvmsg),
    WEIR_CALL(clone),
    WEIR_CALL(clone3),
    WEIR_CALL(execve),
    WEIR_CALL(execveat),
    WEIR_CALL(wait4),
    WEIR_CALL(waitid),
    WEIR_CALL(kill),
    WEIR_CALL(nanosleep),
    WEIR_CALL(clock_nanosleep),
    WEIR_CALL(clock_gettime),
    WEIR_CALL(gettimeofday),
    WEIR_CALL(ppoll),
    WEIR_CALL(pselect6),
    WEIR_CALL(epoll_create1),
    WEIR_CALL(getuid),
    WEIR_CALL(geteuid),
    WEIR_CALL(getgid),
    WEIR_CALL(getppid),
    WEIR_CALL(uname),
    WEIR_CALL(sysinfo),
    WEIR_CALL(umask),
    WEIR_CALL(prctl),
    WEIR_CALL(prlimit64),
    WEIR_CALL(setrlimit),
    WEIR_CALL(memfd_create),
    WEIR_CALL(set_robust_list),
    WEIR_CALL(sched_getaffinity),
    WEIR_CALL(rt_sigsuspend),
    WEIR_CALL(rt_sigtimedwait),
#if defined(__x86_64__)
    WEIR_CALL(open),
    WEIR_CALL(stat),
    WEIR_CALL(lstat),
    WEIR_CALL(access),
    WEIR_CALL(readlink),
    WEIR_CALL(poll),
    WEIR_CALL(select),
    WEIR_CALL(fork),
    WEIR_CALL(vfork),
    WEIR_CALL(pipe),
    WEIR_CALL(pause),
    WEIR_CALL(time),
    WEIR_CALL(unlink),
    WEIR_CALL(mkdir),
    WEIR_CALL(rename),
    WEIR_CALL(creat),
#endif
  };
#undef WEIR_CALL
  for (const auto& [known, name] : kNames)
    if (known == number) return name;
  return fmt::format("system call {}", number);
}

}  // namespace weir
