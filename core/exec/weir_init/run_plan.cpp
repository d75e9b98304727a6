#include "core/exec/weir_init/run_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/wire.h"
#include "core/exec/init_protocol.h"
#include "core/exec/weir_init/process_tree.h"

namespace weir::init {
namespace {

// Sampling starts at 4 ms, so that short jobs pay nothing, and keeps its own cost under a hundredth of the
// time.
constexpr std::uint64_t kFirstSample = 4'000'000;
constexpr std::uint64_t kSlowestSample = 250'000'000;

// Exit codes tell the executor why there is no record.
enum : int { kExitBadPlan = 3, kExitOrphan = 4 };

char* mapped;
std::size_t mapped_size;
std::size_t record_at;
bool alone;        // without a pid namespace
bool terminating;  // no further step is started
bool held;
std::uint64_t cpu;  // of all that was reaped in this step
std::uint64_t cpu_total;
std::uint64_t peak;  // of this step
std::uint64_t peak_total;
std::uint32_t most_processes;  // and threads, at once, in this plan
std::uint64_t sample_interval = kFirstSample;

std::uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

void signal_all(int signal) {
  // The kernel walks under its task list lock and a fork with a pending signal starts over: nobody slips
  // through.
  if (!alone) kill(-1, signal);
  else signal_descendants(signal);
}

// ---- plan

char* arena;
std::size_t arena_left;
void* large_arena;  // mapped for a plan that is larger than most
std::size_t large_size;

template <class T>
T* allocate(std::size_t count) {
  const std::size_t size = count * sizeof(T);
  if (size > arena_left) _exit(kExitBadPlan);
  T* result = reinterpret_cast<T*>(arena);
  arena += size;
  arena_left -= size;
  return result;
}

char* text(wire::Reader& reader) {
  const auto value = reader.text();
  if (value.empty() || value.back() != 0) _exit(kExitBadPlan);
  return const_cast<char*>(value.data());
}

char** texts(wire::Reader& reader) {
  const auto count = reader.count(5);
  char** list = allocate<char*>(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) list[i] = text(reader);
  list[count] = nullptr;
  return list;
}

std::uint32_t header(std::uint32_t offset) {
  return *reinterpret_cast<const volatile std::uint32_t*>(mapped + offset);
}

}  // namespace

void mark_begun() { *reinterpret_cast<volatile std::uint32_t*>(mapped + kBegunOffset) = 1; }

alignas(16) char child_stack[16384];

bool has_flag(std::uint32_t flag) { return header(kFlagsOffset) & flag; }

void map_plan() {
  if (mapped) munmap(mapped, mapped_size);
  struct stat file;
  if (fstat(kPlanFd, &file) != 0 || file.st_size < kHeaderSize) _exit(kExitBadPlan);
  const auto size = static_cast<std::size_t>(file.st_size);
  void* map = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, kPlanFd, 0);
  if (map == MAP_FAILED) _exit(kExitBadPlan);
  mapped = static_cast<char*>(map);
  mapped_size = size;
}

Plan read_plan() {
  const auto plan_size = header(kPlanSizeOffset);
  if (plan_size > mapped_size - kHeaderSize) _exit(kExitBadPlan);
  record_at = kHeaderSize + std::size_t{plan_size};
  // Each text takes at least 5 bytes of the plan and one pointer here; a step takes 13 and five pointers.
  alignas(16) static char small[8192];
  arena = small;
  arena_left = plan_size * std::size_t{4} + 64;
  if (arena_left <= sizeof small) arena_left = sizeof small;
  else if (void* map = mmap(nullptr, arena_left, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
           map != MAP_FAILED)
    arena = static_cast<char*>(large_arena = map), large_size = arena_left;
  else _exit(kExitBadPlan);

  wire::Reader reader(std::string_view(mapped + kHeaderSize, plan_size));
  Plan plan{};
  plan.environment = texts(reader);
  plan.mount_count = reader.count(10);
  plan.mounts = allocate<Mount>(plan.mount_count);
  for (std::uint32_t i = 0; i < plan.mount_count; ++i) plan.mounts[i] = {text(reader), text(reader)};
  plan.count = reader.count(13);
  plan.steps = allocate<Step>(plan.count);
  for (std::uint32_t i = 0; i < plan.count; ++i) plan.steps[i] = {text(reader), texts(reader), texts(reader)};
  for (std::uint32_t i = 0; i < plan.count; ++i)
    if (!plan.steps[i].argv[0]) _exit(kExitBadPlan);
  if (!reader.ok() || !reader.at_end()) _exit(kExitBadPlan);
  return plan;
}

namespace {

// ---- record

class Record {
 public:
  void u8(std::uint8_t value) { put(&value, sizeof value); }
  void u32(std::uint32_t value) { put(&value, sizeof value); }
  void u64(std::uint64_t value) { put(&value, sizeof value); }
  void flush() {
    if (size_ > mapped_size - record_at) _exit(kExitBadPlan);
    // The tag comes last: what is cut off before it is no step.
    __builtin_memcpy(mapped + record_at + 1, bytes_ + 1, size_ - 1);
    *const_cast<volatile char*>(mapped + record_at) = bytes_[0];
    record_at += size_;
    size_ = 0;
  }

 private:
  void put(const void* value, std::size_t size) {
    __builtin_memcpy(bytes_ + size_, value, size);
    size_ += size;
  }
  char bytes_[kStepSize + kEndSize];
  std::size_t size_ = 0;
};

// ---- one step

struct Child {
  const Step* step;
  char* const* environment;
  const char* path;  // PATH of the job
  StepEnd failure = StepEnd::no_exec;
  int error = 0;
};

void exec_in(const char* directory, std::size_t length, const Child& child, char* const* argv) {
  char file[4096];
  const char* name = argv[0];
  std::size_t size = 0;
  while (name[size]) ++size;
  if (length + size + 2 > sizeof file) return;
  __builtin_memcpy(file, directory, length);
  file[length] = '/';
  __builtin_memcpy(file + length + 1, name, size + 1);
  execve(file, argv, child.environment);
}

bool has_slash(const char* name) {
  for (; *name; ++name)
    if (*name == '/') return true;
  return false;
}

// Like execvpe: "permission denied" is told only if no later directory has the program.
void exec_by_path(const Child& child, char* const* argv) {
  bool denied = false;
  for (const char* at = child.path;;) {
    const char* end = at;
    while (*end && *end != ':') ++end;
    if (end != at) exec_in(at, static_cast<std::size_t>(end - at), child, argv);
    denied |= errno == EACCES;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return;
    if (!*end) break;
    at = end + 1;
  }
  errno = denied ? EACCES : ENOENT;
}

void exec(const Child& child, char* const* argv) {
  errno = ENOENT;
  if (has_slash(argv[0])) execve(argv[0], argv, child.environment);
  else exec_by_path(child, argv);
}

// In the memory of weir-init, on a stack of its own, until its exec.
int child_main(void* argument) {
  auto& child = *static_cast<Child*>(argument);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (chdir(child.step->directory) != 0) {
    child.failure = StepEnd::no_directory;
  } else {
    if (child.step->plain[0]) exec(child, child.step->plain);
    exec(child, child.step->argv);
  }
  child.error = errno;
  _exit(127);
}

const char* path_of(char* const* environment) {
  for (; *environment; ++environment)
    if (strncmp(*environment, "PATH=", 5) == 0) return *environment + 5;
  return "/usr/bin:/bin";
}

// Where weir-init does not wait for the exec, nobody has to wake it up in the midst of a start, mostly on the
// CPU of the very program that has just begun. Both only read what they share, but for errno, of which a libc
// has one for both.
#if defined(WEIR_INIT_WITHOUT_LIBC)
constexpr int kSharing = CLONE_VM;
#else
constexpr int kSharing = CLONE_VM | CLONE_VFORK;
#endif

pid_t start(Child& child) {
  const int pid = clone(child_main, child_stack + sizeof child_stack, kSharing | SIGCHLD, &child);
  if (pid < 0) {
    child.failure = StepEnd::no_fork;
    child.error = errno;
  }
  return pid;
}

// What a tree uses now, of which the number of processes is kept.
TreeUse count_processes() {
  const auto use = use_of_tree();
  if (use.processes > most_processes) most_processes = use.processes;
  return use;
}

int leave_at_once(void*) { _exit(0); }

// A step failed, perhaps for that.
void note_process_limit() {
  count_processes();
  *reinterpret_cast<volatile std::uint32_t*>(mapped + kProcessesOffset) = most_processes;
  const int pid =
      clone(leave_at_once, child_stack + sizeof child_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr);
  if (pid > 0) wait4(pid, nullptr, __WALL, nullptr);
  else if (errno == EAGAIN)
    *reinterpret_cast<volatile std::uint32_t*>(mapped + kFlagsOffset) =
        header(kFlagsOffset) | kAtProcessLimit;
}

std::uint64_t nanoseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

void raise_peak(std::uint64_t bytes) {
  if (bytes > peak) peak = bytes;
  if (peak > peak_total) peak_total = peak;
}

void publish() {
  auto* live = reinterpret_cast<volatile std::uint64_t*>(mapped + kLiveOffset);
  live[0] = cpu_total;
  live[1] = peak_total;
}

// Takes the next process that ended. 0: none now; -1: there are no children at all.
pid_t reap(int* status, int flags) {
  rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, status, flags | __WALL, &usage)) < 0 && errno == EINTR) {
  }
  if (pid <= 0) return pid;
  const auto used = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
  cpu += used;
  cpu_total += used;
  raise_peak(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
  return pid;
}

[[noreturn]] void kill_all_and_exit(int code) {
  int status;
  do signal_all(SIGKILL);
  while (reap(&status, 0) > 0);
  _exit(code);
}

void terminate() {
  if (terminating) return;
  terminating = true;
  held = false;
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // a stopped process would keep its TERM for later
}

}  // namespace

void look() {
  const auto wanted = static_cast<Wanted>(header(kWantedOffset));
  if (wanted == Wanted::kill) kill_all_and_exit(0);
  if (wanted == Wanted::terminate) terminate();
  const bool hold = wanted == Wanted::hold && !terminating;
  if (hold != held) signal_all(hold ? SIGSTOP : SIGCONT);
  held = hold;
}

// Nobody reads the output any more: weir is gone. PDEATHSIG alone is not enough. It comes when the *thread*
// that started the job dies, its files close when the last thread is gone, and whoever asks for the signal in
// between hears of neither.
void end_if_orphaned() {
  pollfd output{has_flag(kOnTerminal) ? kLifeFd : STDOUT_FILENO, 0, 0};
  if (poll(&output, 1, 0) > 0 && (output.revents & POLLERR)) kill_all_and_exit(kExitOrphan);
}

namespace {

void sample() {
  const auto before = now();
  end_if_orphaned();
  raise_peak(count_processes().peak_bytes);
  publish();
  const auto cost = (now() - before) * 100;
  sample_interval = sample_interval * 3 / 2;
  if (sample_interval > 40'000'000) sample_interval = 40'000'000;
  if (sample_interval < cost) sample_interval = cost;
  if (sample_interval > kSlowestSample) sample_interval = kSlowestSample;
}

// A sender outside of the namespace has no pid in it, so the kernel reports 0.
bool is_from_outside(const siginfo_t& info) { return alone || (info.si_code == SI_USER && info.si_pid == 0); }

// Of two that are pending the kernel keeps the first, so what a job sent may stand for what weir sent after
// it: what weir wants is looked at either way. A job that sends its init a TERM means nothing by it.
void heed(int signal, const siginfo_t& info) {
  if (signal == kOrphanSignal && alone) kill_all_and_exit(kExitOrphan);
  look();
  if (signal == SIGTERM && is_from_outside(info)) terminate();
}

// Sleeps until a signal came and acts on it; every so often it looks at the memory instead.
void wait_for_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, kLookSignal);
  sigaddset(&set, kOrphanSignal);
  const timespec limit{static_cast<time_t>(sample_interval / 1'000'000'000),
                       static_cast<long>(sample_interval % 1'000'000'000)};
  siginfo_t info;
  const int signal = sigtimedwait(&set, &info, held ? nullptr : &limit);
  if (signal > 0 && signal != SIGCHLD) heed(signal, info);
  else if (signal < 0 && errno == EAGAIN) sample();
}

// Waits for `pid`. When the job is being terminated it waits for all, so that each gets to finish its
// handler.
int await(pid_t pid) {
  int result = 0;
  bool ended = false;
  std::uint64_t reminder = 0;
  std::uint64_t patience = 50'000'000;
  for (;;) {
    wait_for_signal();
    int status;
    pid_t got;
    while ((got = reap(&status, WNOHANG)) > 0) {
      if (got != pid) continue;
      result = status;
      ended = true;
    }
    if (got < 0 || (ended && !terminating)) return result;
    // What the step started while the first TERM was on its way has not heard of it: a child that a shell has
    // just forked still has the shell's handler and swallows it. So what is left after the step is told
    // again, less and less often.
    if (ended && now() >= reminder) {
      signal_all(SIGTERM);
      reminder = now() + patience;
      patience *= 2;
    }
  }
}

void say(const char* text) {
  std::size_t size = 0;
  while (text[size]) ++size;
  if (write(2, text, size) < 0) return;
}

void explain(const Child& child) {
  const bool directory = child.failure == StepEnd::no_directory;
  say(child.failure == StepEnd::no_fork ? "weir: cannot start a process for '"
      : directory                       ? "weir: cannot enter the directory '"
                                        : "weir: cannot run '");
  say(directory ? child.step->directory : child.step->argv[0]);
  say("': ");
  say(strerrordesc_np(child.error));
  say("\n");
}

// True if the step succeeded.
bool run_step(std::uint32_t number, Child& child, Record& record) {
  cpu = peak = 0;
  sample_interval = kFirstSample;
  const auto begin = now();
  const pid_t pid = start(child);
  const int status = pid < 0 ? 0 : await(pid);
  auto kind = WIFSIGNALED(status) ? StepEnd::signalled : StepEnd::exited;
  int value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  if (child.error) {
    kind = child.failure;
    value = child.error;
    explain(child);
  }
  const bool good = kind == StepEnd::exited && value == 0;
  if (!good) note_process_limit();
  record.u8(kTagStep);
  record.u32(number);
  record.u8(static_cast<std::uint8_t>(kind));
  record.u32(static_cast<std::uint32_t>(value));
  record.u64(begin);
  record.u64(now());
  record.u64(cpu);
  record.u64(peak);
  return good;
}

// What a job left behind ends with it; its CPU time still counts.
void end_leftovers() {
  int status;
  if (reap(&status, WNOHANG) < 0) return;
  do signal_all(SIGKILL);
  while (reap(&status, 0) > 0);
}

}  // namespace

void run(const Plan& plan) {
  Record record;
  for (std::uint32_t i = 0; i < plan.count && !terminating; ++i) {
    while (held && !terminating) wait_for_signal();
    Child child{&plan.steps[i], plan.environment, path_of(plan.environment)};
    const bool good = run_step(i, child, record);
    if (!good || i + 1 == plan.count) break;
    record.flush();
    look();
  }
  end_leftovers();
  if (peak_total || cpu_total) publish();
  record.u8(kTagEnd);
  record.u32(kEndMark);
  record.flush();
}

// The death signal is set before the question whether weir still reads, and that is asked again with every
// sample: whichever way weir went, one of them sees it.
void hang_on_weir() {
  alone = getpid() != 1;
  prctl(PR_SET_PDEATHSIG, alone ? kOrphanSignal : SIGKILL);
  if (alone) prctl(PR_SET_CHILD_SUBREAPER, 1);
}

// A descriptor from outside of a sandbox would be a way around its read-only mounts: root could change the
// mode of the machine's /dev/null by it.
void open_own_input() {
  close(0);
  open("/dev/null", O_RDONLY);
}

// What the user gave is the command's, but for the machine's /dev/null, for the same reason.
void open_own_null_devices() {
  constexpr dev_t kNullDevice = 0x103;  // 1:3
  for (int fd = 0; fd < 3; ++fd) {
    struct stat file;
    if (fstat(fd, &file) != 0 || !S_ISCHR(file.st_mode) || file.st_rdev != kNullDevice) continue;
    close(fd);
    open("/dev/null", O_RDWR);  // the lowest number that is free: this one
  }
}

void forget_plan() {
  if (large_arena) munmap(large_arena, large_size);
  large_arena = nullptr;
  cpu_total = peak_total = 0;
  most_processes = 0;
}

bool heard_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, kLookSignal);
  sigaddset(&set, kOrphanSignal);
  const timespec now_only{0, 0};
  return terminating || held || sigtimedwait(&set, nullptr, &now_only) > 0;
}

}  // namespace weir::init
