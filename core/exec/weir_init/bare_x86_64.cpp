// The few functions of libc that weir-init uses, straight over system calls, and its entry point. A static
// glibc costs 23 page faults and about 400 us of CPU before main (exec of an empty program: 520 us against
// 120 us), which each job would pay; without it a job in its pid namespace costs little more than the program
// that it runs. Only for x86-64; elsewhere weir-init is linked with the static libc.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "core/exec/weir_init/run_plan.h"

namespace {

int error_number;
int error_number_of_child;                 // which shares all memory with this process
constexpr std::size_t kKernelSignals = 8;  // bytes of a signal set as the kernel has it

long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

long checked(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

template <class T>
long word(T* pointer) {
  return static_cast<long>(reinterpret_cast<std::uintptr_t>(pointer));
}

std::uint64_t& bits(sigset_t* set) { return *reinterpret_cast<std::uint64_t*>(set); }

struct Message {
  int error;
  const char* text;
};
// What a start of a program can fail with; the rest has its number.
constexpr Message kMessages[] = {
    {E2BIG, "Argument list too long"},
    {EACCES, "Permission denied"},
    {EAGAIN, "Resource temporarily unavailable"},
    {EINVAL, "Invalid argument"},
    {EIO, "Input/output error"},
    {EISDIR, "Is a directory"},
    {ELOOP, "Too many levels of symbolic links"},
    {EMFILE, "Too many open files"},
    {ENAMETOOLONG, "File name too long"},
    {ENFILE, "Too many open files in system"},
    {ENOENT, "No such file or directory"},
    {ENOEXEC, "Exec format error"},
    {ENOMEM, "Cannot allocate memory"},
    {ENOTDIR, "Not a directory"},
    {EPERM, "Operation not permitted"},
    {ETXTBSY, "Text file busy"},
};

}  // namespace

extern "C" {

int main();

// The kernel enters with an aligned stack and no return address.
[[noreturn, gnu::naked]] void _start() { __asm__("xor %ebp, %ebp\n\tcall main\n\tud2"); }

int* __errno_location() noexcept {
  const auto at = word(__builtin_frame_address(0)), stack = word(weir::init::child_stack);
  const bool is_child = at >= stack && at <= stack + static_cast<long>(sizeof weir::init::child_stack);
  return is_child ? &error_number_of_child : &error_number;
}
void _exit(int code) {
  for (;;) raw(SYS_exit_group, code);
}

// The compiler calls these on its own account.
void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept {
  void* const result = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  return result;
}
void* memset(void* to, int value, std::size_t size) noexcept {
  void* const result = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
  return result;
}
int memcmp(const void* left, const void* right, std::size_t size) noexcept {
  const auto* a = static_cast<const unsigned char*>(left);
  const auto* b = static_cast<const unsigned char*>(right);
  for (; size > 0; --size, ++a, ++b)
    if (*a != *b) return *a - *b;
  return 0;
}
int bcmp(const void* left, const void* right,
         std::size_t size) noexcept {  // clang calls it where the order is not asked for
  return memcmp(left, right, size);
}
std::size_t strlen(const char* text) noexcept {
  const char* end = text;
  while (*end) ++end;
  return static_cast<std::size_t>(end - text);
}
int strncmp(const char* a, const char* b, std::size_t size) noexcept {
  for (; size > 0; --size, ++a, ++b)
    if (*a != *b || !*a) return *a - *b;
  return 0;
}
const char* strerrordesc_np(int error) noexcept {
  for (const auto& message : kMessages)
    if (message.error == error) return message.text;
  static char other[] = "error ...";
  char* at = other + 6;
  for (int unit = 100; unit > 0; unit /= 10) *at++ = static_cast<char>('0' + error / unit % 10);
  return other;
}

int open(const char* path, int flags, ...) {
  return static_cast<int>(checked(raw(SYS_openat, AT_FDCWD, word(path), flags, 0)));
}
ssize_t read(int fd, void* to, std::size_t size) {
  return checked(raw(SYS_read, fd, word(to), static_cast<long>(size)));
}
ssize_t write(int fd, const void* from, std::size_t size) {
  return checked(raw(SYS_write, fd, word(from), static_cast<long>(size)));
}
ssize_t pread(int fd, void* to, std::size_t size, off_t offset) {
  return checked(raw(SYS_pread64, fd, word(to), static_cast<long>(size), offset));
}
int close(int fd) { return static_cast<int>(checked(raw(SYS_close, fd))); }
ssize_t readlink(const char* path, char* to, std::size_t size) noexcept {
  return checked(raw(SYS_readlink, word(path), word(to), static_cast<long>(size)));
}
int fstat(int fd, struct stat* to) noexcept {
  return static_cast<int>(checked(raw(SYS_fstat, fd, word(to))));
}
int fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  return static_cast<int>(checked(raw(SYS_fcntl, fd, command, argument)));
}
int chdir(const char* path) noexcept { return static_cast<int>(checked(raw(SYS_chdir, word(path)))); }
int poll(pollfd* fds, nfds_t count, int timeout) {
  return static_cast<int>(checked(raw(SYS_poll, word(fds), static_cast<long>(count), timeout)));
}
void* mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  return reinterpret_cast<void*>(
      checked(raw(SYS_mmap, word(address), static_cast<long>(size), protection, flags, fd, offset)));
}
int munmap(void* address, std::size_t size) noexcept {
  return static_cast<int>(checked(raw(SYS_munmap, word(address), static_cast<long>(size))));
}
int dup3(int from, int to, int flags) noexcept {
  return static_cast<int>(checked(raw(SYS_dup3, from, to, flags)));
}
ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return checked(raw(SYS_recvmsg, fd, word(message), flags));
}
int clock_gettime(clockid_t clock, timespec* to) noexcept {
  return static_cast<int>(checked(raw(SYS_clock_gettime, clock, word(to))));
}

pid_t getpid() noexcept { return static_cast<pid_t>(raw(SYS_getpid)); }
int kill(pid_t pid, int signal) noexcept { return static_cast<int>(checked(raw(SYS_kill, pid, signal))); }
int prctl(int option, ...) noexcept {
  va_list list;
  va_start(list, option);
  const long argument = va_arg(list, long);
  va_end(list);
  return static_cast<int>(checked(raw(SYS_prctl, option, argument)));
}
int mount(const char* from, const char* to, const char* type, unsigned long flags,
          const void* data) noexcept {
  return static_cast<int>(
      checked(raw(SYS_mount, word(from), word(to), word(type), static_cast<long>(flags), word(data))));
}
int umount2(const char* path, int flags) noexcept {
  return static_cast<int>(checked(raw(SYS_umount2, word(path), flags)));
}
pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  return static_cast<pid_t>(checked(raw(SYS_wait4, pid, word(status), options, word(usage))));
}
int execve(const char* path, char* const argv[], char* const environment[]) noexcept {
  return static_cast<int>(checked(raw(SYS_execve, word(path), word(argv), word(environment))));
}
long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  const long a = va_arg(list, long);
  const long b = va_arg(list, long);
  const long c = va_arg(list, long);
  va_end(list);
  return checked(raw(number, a, b, c));
}
// The child starts on `stack` with nothing on it and calls `entry`, which does not return.
int clone(int (*entry)(void*), void* stack, int flags, void* argument, ...) noexcept {
  register void* r12 __asm__("r12") = argument;
  register int (*r13)(void*) __asm__("r13") = entry;
  long result;
  __asm__ volatile(
      "xor %%edx, %%edx\n\t"
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r12, %%rdi\n\t"
      "call *%%r13\n\t"
      "ud2\n\t"
      "1:"
      : "=a"(result)
      : "a"(static_cast<long>(SYS_clone)), "D"(static_cast<long>(flags)), "S"(stack), "r"(r12), "r"(r13)
      : "rcx", "rdx", "r11", "memory", "cc");
  return static_cast<int>(checked(result));
}

int sigemptyset(sigset_t* set) noexcept { return bits(set) = 0, 0; }
int sigfillset(sigset_t* set) noexcept { return bits(set) = ~std::uint64_t{0}, 0; }
int sigaddset(sigset_t* set, int signal) noexcept { return bits(set) |= std::uint64_t{1} << (signal - 1), 0; }
int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  return static_cast<int>(checked(raw(SYS_rt_sigprocmask, how, word(set), word(before), kKernelSignals)));
}
int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* limit) {
  return static_cast<int>(
      checked(raw(SYS_rt_sigtimedwait, word(set), word(info), word(limit), kKernelSignals)));
}

}  // extern "C"
