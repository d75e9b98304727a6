#include "core/exec/weir_init/process_tree.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::init {
namespace {

// More processes than this in one job are counted and signalled in later walks only.
constexpr int kMost = 16384;
int pids[kMost];
int seen[kMost];
int parents[kMost];
// A process in an uninterruptible wait may take its time to obey; it is given a second.
constexpr int kHastyRounds = 20;
constexpr int kMostRounds = 1000;

int parse(const char*& at, const char* end) {
  int value = 0;
  while (at < end && *at >= '0' && *at <= '9') value = value * 10 + (*at++ - '0');
  return value;
}

char* append(char* to, const char* text) {
  while (*text) *to++ = *text++;
  *to = 0;
  return to;
}
char* append(char* to, int number) {
  char digits[12];
  int count = 0;
  do digits[count++] = static_cast<char>('0' + number % 10);
  while (number /= 10);
  while (count) *to++ = digits[--count];
  *to = 0;
  return to;
}

long read_file(const char* path, char* buffer, long size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const long got = read(fd, buffer, static_cast<size_t>(size));
  close(fd);
  return got;
}

struct Dirent {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

// The kernel gives a page at a time, whole numbers only, each with a space behind it.
int append_listed(const char* path, int count) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return count;
  char list[4096];
  long size;
  while ((size = read(fd, list, sizeof list)) > 0) {
    for (const char* here = list; here < list + size && count < kMost; ++here) {
      const int child = parse(here, list + size);
      if (child) pids[count++] = child;
    }
  }
  close(fd);
  return count;
}

// Children belong to the thread that forked them, so all threads are asked.
int append_children(int pid, int count) {
  char path[64];
  char* tail = append(append(append(path, "/proc/"), pid), "/task");
  const int tasks = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tasks < 0) return count;
  alignas(8) char entries[4096];
  long got;
  while ((got = syscall(SYS_getdents64, tasks, entries, sizeof entries)) > 0) {
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Dirent*>(entries + at);
      at += entry->length;
      if (entry->name[0] == '.') continue;
      append(append(append(tail, "/"), entry->name), "/children");
      count = append_listed(path, count);
    }
  }
  close(tasks);
  return count;
}

int own_pid() {
  static int pid = 0;
  if (pid) return pid;
  char link[16];
  const long size = readlink("/proc/self", link, sizeof link);
  const char* at = link;
  return pid = size > 0 ? parse(at, link + size) : 0;
}

// pids[0] is this process, then its descendants, parents first; parents[i] is the place of the parent of
// pids[i].
int walk() {
  pids[0] = own_pid();
  if (!pids[0]) return 0;
  int count = 1;
  for (int i = 0; i < count; ++i) {
    const int before = count;
    count = append_children(pids[i], count);
    for (int child = before; child < count; ++child) parents[child] = i;
  }
  return count;
}

// In KiB, of /proc/<pid>/status.
struct Memory {
  std::uint64_t size = 0;  // of the address space
  std::uint64_t most = 0;  // resident, at any time of its life
  std::uint64_t anon = 0;  // resident now, of its own
  std::uint64_t file = 0;  // resident now, of files
  bool operator==(const Memory&) const = default;
};
struct Status {
  Memory memory;
  std::uint32_t threads = 0;
};

bool begins_with(const char* at, const char* end, const char* word) {
  for (; *word; ++word, ++at)
    if (at >= end || *at != *word) return false;
  return true;
}

std::uint64_t number_at(const char* at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\t')) ++at;
  std::uint64_t value = 0;
  for (; at < end && *at >= '0' && *at <= '9'; ++at)
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  return value;
}

// A process that is about to end has no memory any more, and no lines about it.
Status status_of(int pid) {
  char path[32];
  append(append(append(path, "/proc/"), pid), "/status");
  char text[4096];
  const long size = read_file(path, text, sizeof text);
  Status status;
  auto& memory = status.memory;
  if (size <= 0) return status;
  const char* const end = text + size;
  for (const char* line = text; line < end;) {
    if (begins_with(line, end, "VmSize:")) memory.size = number_at(line + 7, end);
    else if (begins_with(line, end, "VmHWM:")) memory.most = number_at(line + 6, end);
    else if (begins_with(line, end, "RssAnon:")) memory.anon = number_at(line + 8, end);
    else if (begins_with(line, end, "RssFile:")) memory.file = number_at(line + 8, end);
    else if (begins_with(line, end, "Threads:")) {
      status.threads = static_cast<std::uint32_t>(number_at(line + 8, end));
      return status;
    }
    while (line < end && *line != '\n') ++line;
    ++line;
  }
  return status;
}

// R, S, D, T, Z, ... as in /proc/<pid>/stat behind the name, which may hold anything; 0 if it is gone.
char state_of(int pid) {
  char path[32];
  append(append(append(path, "/proc/"), pid), "/stat");
  char text[256];
  long at = read_file(path, text, sizeof text);
  while (at > 0 && text[at - 1] != ')') --at;
  return at > 0 ? text[at + 1] : '\0';
}

// The signal has done its work. A stopped process is asleep for good only when the kernel says so: until then
// a fork that was under way may still complete. A shell in vfork (D) moves again when the child that it waits
// for does.
bool has_obeyed(char state, int signal, bool has_children) {
  switch (signal) {
    case SIGSTOP: return state == 'T' || state == 't' || (state == 'D' && has_children);
    case SIGCONT: return state != 'T';
    default: return false;
  }
}

struct Sight {
  bool settled = true;
  int zombies = 0;  // dead ones, which have given their children to somebody who may have been asked before
};

// Newest first and at once: whoever forks and ends all the time is the newest, and every moment lost is one
// more child.
int signal_children(int pid, int count, int signal) {
  const int after = append_children(pid, count);
  for (int i = after; i > count; --i) kill(pids[i - 1], signal);
  return after;
}

// Walks once and signals all. The state is read before the children: what a process that is stopped has not
// forked by then it never will.
Sight look_at_tree(int signal) {
  Sight sight;
  int count = signal_children(own_pid(), 1, signal);
  for (int i = 1; i < count; ++i) {
    const char state = state_of(pids[i]);
    if (state == 'Z' || state == 'X') {
      ++sight.zombies;
      continue;
    }
    const int before = count;
    count = signal_children(pids[i], count, signal);
    if (!has_obeyed(state, signal, count > before)) sight.settled = false;
  }
  return sight;
}

// TERM has a handler, so each process hears it once; one that was forked meanwhile is found by the next walk.
void tell_once(int signal) {
  int known = 0;
  for (bool fresh = true; fresh;) {
    fresh = false;
    const int count = walk();
    for (int i = 1; i < count; ++i) {
      bool old = false;
      for (int j = 0; j < known && !old; ++j) old = seen[j] == pids[i];
      if (old || known == kMost) continue;
      seen[known++] = pids[i];
      fresh = true;
      kill(pids[i], signal);
    }
  }
}

void pause_briefly() {
  pollfd none{};
  poll(&none, 0, 1);
}

}  // namespace

// The most that each had, not what it has now: what was taken and given back between two looks is seen as
// well. Not all need have had it at once, so this errs to the safe side. Files (programs, libraries) are most
// often the same for all: they count once. So does the memory of a child that was made by vfork and is its
// parent's until it runs something else.
TreeUse use_of_tree() {
  static Memory all[kMost];
  std::uint32_t processes = 1;
  std::uint64_t own = 0;
  std::uint64_t files = 0;
  const int count = walk();
  for (int i = 1; i < count; ++i) {
    const auto status = status_of(pids[i]);
    processes += status.threads;
    all[i] = status.memory;
    if (all[i] == all[parents[i]]) continue;
    own += all[i].most - (all[i].file < all[i].most ? all[i].file : all[i].most);
    if (all[i].file > files) files = all[i].file;
  }
  return {(own + files) * 1024, processes};
}

void signal_descendants(int signal) {
  if (signal == SIGTERM) return tell_once(signal);
  int zombies = -1;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto sight = look_at_tree(signal);
    if (sight.settled && sight.zombies == zombies) return;
    zombies = sight.zombies;
    if (round >= kHastyRounds) pause_briefly();
  }
}

}  // namespace weir::init
