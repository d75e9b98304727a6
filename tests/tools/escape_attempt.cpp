// escape_attempt NAME [ARGUMENT]: makes one attempt to get out of a sandbox by system calls that no shell
// has. Exit 0: it worked, or the kernel took it up; 1: it was refused; 99: there is no such attempt. Static,
// so that it runs in a root that has nothing else. Without a name it lists them.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/mempolicy.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace {

using Attempt = std::function<bool(const std::string& argument)>;

bool is_refusal(int error) { return error == EPERM || error == ENOSYS || error == EACCES; }

// Not only done: an error about the arguments says that the kernel looked at them.
bool is_taken_up(long result) { return result >= 0 || !is_refusal(errno); }

Attempt call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  return [=](const std::string&) { return is_taken_up(syscall(number, a, b, c, d, e, f)); };
}

Attempt family(int family, int type = SOCK_DGRAM, int protocol = 0) {
  return [=](const std::string&) { return socket(family, type, protocol) >= 0; };
}

#if defined(__x86_64__)
// The same kernel, by the numbers of 32 bits.
Attempt call_i386(long number, long a = 0, long b = 0, long c = 0) {
  return [=](const std::string&) {
    long result = number;
    __asm__ volatile("int $0x80"
                     : "+a"(result)
                     : "b"(a), "c"(b), "d"(c)
                     : "memory", "r8", "r9", "r10", "r11");
    errno = result < 0 ? static_cast<int>(-result) : 0;
    return is_taken_up(result < 0 ? -1 : result);
  };
}
#endif

bool can_open(const char* path, int flags) { return open(path, flags | O_CLOEXEC) >= 0; }

Attempt opens(const char* path, int flags) {
  return [=](const std::string&) { return can_open(path, flags); };
}

bool lists(const char* path) {
  DIR* directory = opendir(path);
  while (const dirent* entry = directory ? readdir(directory) : nullptr)
    if (entry->d_name[0] != '.') return true;
  return false;
}

bool traces(long request, pid_t pid) {
  const bool attached = ptrace(static_cast<__ptrace_request>(request), pid, nullptr, nullptr) == 0;
  if (attached) ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return attached;
}

bool copies_memory_of_init(bool write) {
  char byte = 0;
  iovec own{&byte, 1}, other{reinterpret_cast<void*>(0x400000), 1};
  const auto done =
      write ? process_vm_writev(1, &own, 1, &other, 1, 0) : process_vm_readv(1, &own, 1, &other, 1, 0);
  return is_taken_up(done);
}

bool takes_descriptor_of_init() {
  const auto init = syscall(SYS_pidfd_open, 1, 0);
  if (init < 0) return false;
  for (int fd = 0; fd < 64; ++fd)
    if (syscall(SYS_pidfd_getfd, init, fd, 0) >= 0) return true;
  return false;
}

// By the description of a key that the test gave to the user.
bool finds_key(const std::string& name) {
  for (const int ring : {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING})
    if (syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", name.c_str(), 0) >= 0) return true;
  return syscall(SYS_request_key, "user", name.c_str(), nullptr, 0) >= 0;
}

bool is_named_in(const char* path, const std::string& name) {
  FILE* file = fopen(path, "re");
  if (!file) return false;
  char line[4096];
  bool found = false;
  while (fgets(line, sizeof line, file)) found |= strstr(line, name.c_str()) != nullptr;
  fclose(file);
  return found;
}

// On a terminal of its own, which it may do everything else with.
bool types_into_terminal(unsigned long request) {
  const int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  char text = request == TIOCSTI ? 'x' : 3;
  return terminal >= 0 && is_taken_up(ioctl(terminal, request, &text));
}

bool raises_limits() {
  for (const auto kind : {RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_NICE, RLIMIT_RTPRIO}) {
    rlimit now{};
    getrlimit(kind, &now);
    if (now.rlim_max == RLIM_INFINITY) continue;
    rlimit more{now.rlim_cur, now.rlim_max + 1};
    if (setrlimit(kind, &more) == 0) return true;
  }
  return false;
}

bool runs_in_real_time() {
  sched_param first{};
  first.sched_priority = 1;
  return sched_setscheduler(0, SCHED_FIFO, &first) == 0 || sched_setscheduler(0, SCHED_RR, &first) == 0;
}

bool has_any_capability() {
  for (int capability = 0; capability <= CAP_LAST_CAP; ++capability)
    if (prctl(PR_CAPBSET_READ, capability) == 1 &&
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0)
      return true;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct all[2] = {{~0U, ~0U, 0}, {~0U, ~0U, 0}};
  return syscall(SYS_capset, &header, all) == 0;
}

bool loses_no_new_privileges() {
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0;
}

// A process outside has no pid here: those that can be signalled are the job's own.
bool signals_another_session() {
  for (pid_t pid = 2; pid < 32768; ++pid)
    if (getsid(pid) > 0 && kill(pid, 0) == 0 && getpgid(pid) == 0) return true;
  return false;
}

int number(const std::string& text) { return atoi(text.c_str()); }

// CAP_SETUID, effective and permitted.
bool gives_capabilities() {
  const std::uint32_t words[] = {0x02000001, 1U << CAP_SETUID, 0, 0, 0};
  return creat("capable", 0700) >= 0 &&
         setxattr("capable", "security.capability", words, sizeof words, 0) == 0;
}

bool writes(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  return file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool maps_root() { return writes("/proc/self/setgroups", "deny") && writes("/proc/self/uid_map", "0 0 1"); }

// clone with arguments that would be fine.
bool makes_user_namespace() {
  const auto pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  if (pid < 0) return !is_refusal(errno);
  waitpid(static_cast<pid_t>(pid), nullptr, 0);
  return true;
}

const std::map<std::string, Attempt>& attempts() {
  static const std::map<std::string, Attempt> all = {
    {"find a key of the user", [](const std::string& name) { return finds_key(name); }},
    {"see the name of a key", [](const std::string& name) { return is_named_in("/proc/keys", name); }},
    {"join a keyring", call(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0)},
    {"read a keyring", call(SYS_keyctl, KEYCTL_READ, KEY_SPEC_USER_KEYRING)},
    {"add a key", call(SYS_add_key)},
    {"request a key", call(SYS_request_key)},
    {"unshare the user", call(SYS_unshare, CLONE_NEWUSER)},
    {"clone with a user namespace", [](const std::string&) { return makes_user_namespace(); }},
    {"clone3", call(SYS_clone3, 0, 0)},
    {"unshare mounts", call(SYS_unshare, CLONE_NEWNS)},
    {"unshare the network", call(SYS_unshare, CLONE_NEWNET)},
    {"unshare pids", call(SYS_unshare, CLONE_NEWPID)},
    {"unshare cgroups", call(SYS_unshare, CLONE_NEWCGROUP)},
    {"unshare time", call(SYS_unshare, 0x80)},
    {"setns", call(SYS_setns, -1, 0)},
    {"io_uring_setup", call(SYS_io_uring_setup, 1, 0)},
    {"io_uring_enter", call(SYS_io_uring_enter, -1)},
    {"io_uring_register", call(SYS_io_uring_register, -1)},
    {"bpf", call(SYS_bpf, 0, 0, 0)},
    {"perf_event_open", call(SYS_perf_event_open, 0, 0, -1, -1)},
    {"userfaultfd", call(SYS_userfaultfd, 1)},
    {"kexec_load", call(SYS_kexec_load)},
    {"kexec_file_load", call(SYS_kexec_file_load, -1, -1)},
    {"init_module", call(SYS_init_module)},
    {"finit_module", call(SYS_finit_module, -1)},
    {"delete_module", call(SYS_delete_module)},
    {"reboot", call(SYS_reboot, 0)},
    {"swapon", call(SYS_swapon)},
    {"swapoff", call(SYS_swapoff)},
    {"the log of the kernel", call(SYS_syslog, 3, 0, 0)},
    {"acct", call(SYS_acct)},
    {"quotactl", call(SYS_quotactl)},
    {"quotactl_fd", call(SYS_quotactl_fd, -1)},
    {"settimeofday", call(SYS_settimeofday)},
    {"clock_settime", call(SYS_clock_settime, CLOCK_REALTIME, 0)},
    {"open_by_handle_at", call(SYS_open_by_handle_at, -1)},
    {"fanotify_init", call(SYS_fanotify_init, 0x200, 0)},
    {"mount", [](const std::string&) { return mount("none", "/tmp", "tmpfs", 0, nullptr) == 0; }},
    {"umount2", [](const std::string&) { return umount2("/build", MNT_DETACH) == 0 || !is_refusal(errno); }},
    {"pivot_root", call(SYS_pivot_root)},
    {"open_tree", call(SYS_open_tree, -1, 0, 0)},
    {"move_mount", call(SYS_move_mount, -1, 0, -1, 0)},
    {"fsopen", call(SYS_fsopen)},
    {"fsconfig", call(SYS_fsconfig, -1)},
    {"fsmount", call(SYS_fsmount, -1)},
    {"fspick", call(SYS_fspick, -1)},
    {"mount_setattr", call(SYS_mount_setattr, -1)},
    {"chroot", [](const std::string&) { return chroot("/build") == 0; }},
    {"sethostname", [](const std::string&) { return sethostname("x", 1) == 0; }},
    {"setdomainname", [](const std::string&) { return setdomainname("x", 1) == 0; }},
    {"vhangup", call(SYS_vhangup)},
    {"mbind", call(SYS_mbind)},
    {"move_pages", call(SYS_move_pages, -1)},
    {"migrate_pages", call(SYS_migrate_pages, -1)},
    {"set_mempolicy", call(SYS_set_mempolicy, -1)},
    {"get_mempolicy", call(SYS_get_mempolicy, 0, 0, 0, 0, -1)},
    {"lookup_dcookie", call(SYS_lookup_dcookie)},
    {"an ABI of old", call(SYS_personality, 0x0400000)},
    {"a system call of the future", call(1000)},
    {"vsock", family(40 /* AF_VSOCK */, SOCK_STREAM)},
    {"packets", family(AF_PACKET, SOCK_RAW)},
    {"a raw socket", family(AF_INET, SOCK_RAW, 1)},
    {"a raw socket of IPv6", family(AF_INET6, SOCK_RAW, 58)},
    {"ciphers of the kernel", family(38 /* AF_ALG */, SOCK_SEQPACKET)},
    {"CAN", family(29, SOCK_RAW)},
    {"Bluetooth", family(31, SOCK_RAW)},
    {"XDP", family(44, SOCK_RAW)},
    {"keys of IPsec", family(15, SOCK_RAW, 2)},
    {"a pair of vsock",
     [](const std::string&) {
       int ends[2];
       return socketpair(40, SOCK_STREAM, 0, ends) == 0;
     }},
    {"type into a terminal", [](const std::string&) { return types_into_terminal(TIOCSTI); }},
    {"paste into a console", [](const std::string&) { return types_into_terminal(TIOCLINUX); }},
    {"attach to init", [](const std::string&) { return traces(PTRACE_ATTACH, 1); }},
    {"seize init", [](const std::string&) { return traces(PTRACE_SEIZE, 1); }},
    {"read the memory of init", [](const std::string&) { return copies_memory_of_init(false); }},
    {"write the memory of init", [](const std::string&) { return copies_memory_of_init(true); }},
    {"take a descriptor of init", [](const std::string&) { return takes_descriptor_of_init(); }},
    {"open the memory of init", opens("/proc/1/mem", O_RDWR)},
    {"open the plan", opens("/proc/1/fd/3", O_RDWR)},
    {"open the output of init", opens("/proc/1/fd/1", O_WRONLY)},
    {"open the root of init", opens("/proc/1/root", O_PATH | O_DIRECTORY)},
    {"list the folder of init", opens("/proc/1/cwd/", O_RDONLY | O_DIRECTORY)},
    {"list the mapped files of init", [](const std::string&) { return lists("/proc/1/map_files"); }},
    {"read the maps of init", opens("/proc/1/maps", O_RDONLY)},
    {"raise a limit", [](const std::string&) { return raises_limits(); }},
    {"run in real time", [](const std::string&) { return runs_in_real_time(); }},
    {"run before others", [](const std::string&) { return setpriority(PRIO_PROCESS, 0, -1) == 0; }},
    {"get a capability", [](const std::string&) { return has_any_capability(); }},
    {"get privileges by a program", [](const std::string&) { return loses_no_new_privileges(); }},
    {"signal a process outside", [](const std::string&) { return signals_another_session(); }},
    {"be the log daemon of the kernel", opens("/proc/kmsg", O_RDONLY)},
    {"the memory of the kernel", opens("/proc/kcore", O_RDONLY)},
    {"a setting of the kernel", opens("/proc/sys/kernel/core_pattern", O_WRONLY)},
    {"the highest pid", opens("/proc/sys/kernel/pid_max", O_WRONLY)},
    {"a disk", [](const std::string&) { return mknod("disk", S_IFBLK | 0600, 8 << 8) == 0; }},
    {"a character device",
     [](const std::string&) { return mknod("memory", S_IFCHR | 0600, (1 << 8) | 1) == 0; }},
    {"shared memory of the machine", [](const std::string& key) { return shmget(number(key), 0, 0) >= 0; }},
    {"semaphores of the machine", [](const std::string& key) { return semget(number(key), 0, 0) >= 0; }},
    {"messages of the machine", [](const std::string& key) { return msgget(number(key), 0) >= 0; }},
    {"a message queue of the machine",
     [](const std::string& key) { return mq_open(("/weir-escape-" + key).c_str(), O_RDONLY) >= 0; }},
    {"give a file capabilities", [](const std::string&) { return gives_capabilities(); }},
    {"give a file capabilities as root of a namespace",
     [](const std::string&) { return unshare(CLONE_NEWUSER) == 0 && maps_root() && gives_capabilities(); }},
    {"give a file away",
     [](const std::string&) { return creat("mine", 0600) >= 0 && chown("mine", 4711, 4711) == 0; }},
#if defined(__x86_64__)
    {"iopl", call(SYS_iopl, 3)},
    {"ioperm", call(SYS_ioperm, 0, 1, 1)},
    {"a call of x32", call(0x40000000 + SYS_getpid)},
    {"keyctl of 32 bits", call_i386(288, KEYCTL_READ, KEY_SPEC_USER_KEYRING)},
    {"add_key of 32 bits", call_i386(286)},
    {"unshare of 32 bits", call_i386(310, CLONE_NEWUSER)},
    {"clone3 of 32 bits", call_i386(435)},
    {"bpf of 32 bits", call_i386(357)},
    {"io_uring of 32 bits", call_i386(425)},
    {"sockets of 32 bits", call_i386(102, 1)},
    {"vsock of 32 bits",
     [](const std::string&
            none) { return call_i386(359, 40, SOCK_STREAM, 0)(none) && errno != EAFNOSUPPORT; }},
    {"ptrace of 32 bits", call_i386(26, PTRACE_ATTACH, 1)},
    {"stime of 32 bits", call_i386(25)},
#endif
  };
  return all;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    for (const auto& [name, attempt] : attempts()) puts(name.c_str());
    return 0;
  }
  const auto found = attempts().find(words[1]);
  if (found == attempts().end()) return 99;
  return found->second(count > 2 ? words[2] : "") ? 0 : 1;
}
