#include "core/exec/weir_init/process_tree.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::init {
namespace {

// More processes than this in one job are counted and signalled in later walks only.
constexpr int kMost = 16384;
int pids[kMost];
int seen[kMost];

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
      char list[8192];
      const long size = read_file(path, list, sizeof list);
      for (const char* here = list; here < list + size && count < kMost; ++here) {
        const int child = parse(here, list + size);
        if (child) pids[count++] = child;
      }
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

// pids[0] is this process, then its descendants, parents first.
int walk() {
  pids[0] = own_pid();
  if (!pids[0]) return 0;
  int count = 1;
  for (int i = 0; i < count; ++i) count = append_children(pids[i], count);
  return count;
}

std::uint64_t resident_pages(int pid) {
  char path[32];
  append(append(append(path, "/proc/"), pid), "/statm");
  char text[128];
  const long size = read_file(path, text, sizeof text);
  if (size <= 0) return 0;
  const char* at = text;
  while (at < text + size && *at != ' ') ++at;
  if (at < text + size) ++at;
  return static_cast<std::uint64_t>(parse(at, text + size));
}

}  // namespace

std::uint64_t resident_bytes_of_tree() {
  std::uint64_t pages = 0;
  const int count = walk();
  for (int i = 1; i < count; ++i) pages += resident_pages(pids[i]);
  return pages * 4096 * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE) / 4096);
}

void signal_descendants(int signal) {
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

}  // namespace weir::init
