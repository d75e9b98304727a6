// What tests see of processes from outside, by /proc alone.
#pragma once

#include <dirent.h>
#include <sched.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/core/exec/executor_fixture.h"

namespace weir {

// Processes with `tag` in their environment or command line, but not this one.
inline std::vector<pid_t> tagged_processes(const std::string& tag) {
  std::vector<pid_t> found;
  DIR* proc = ::opendir("/proc");
  while (const dirent* entry = ::readdir(proc)) {
    const auto pid = static_cast<pid_t>(std::atoi(entry->d_name));
    if (pid <= 0 || pid == ::getpid()) continue;
    const auto folder = "/proc/" + std::to_string(pid);
    if (read_file(folder + "/environ").find(tag) != std::string::npos ||
        read_file(folder + "/cmdline").find(tag) != std::string::npos)
      found.push_back(pid);
  }
  ::closedir(proc);
  return found;
}

inline char state_of(pid_t pid) {
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  const auto end = stat.rfind(')');
  return end == stat.npos ? '-' : stat[end + 2];
}

// Looks again and again, giving way to others in between; the deadline is for broken code only.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    ::sched_yield();
  }
  return true;
}

}  // namespace weir
