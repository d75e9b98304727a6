// What tests see of processes from outside, by /proc alone.
#pragma once

#include <dirent.h>
#include <sched.h>
#include <sys/syscall.h>

#include <filesystem>
#include <fstream>
#include <sstream>
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

inline std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> all;
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
    std::istringstream list(read_file(task.path().string() + "/children"));
    for (pid_t child; list >> child;) all.push_back(child);
  }
  return all;
}

// weir-init below `pid` has stopped all of its job and waits for a word from weir, without a limit of time.
inline bool init_is_holding(pid_t pid) {
  for (const auto child : children_of(pid)) {
    std::istringstream call(read_file("/proc/" + std::to_string(child) + "/syscall"));
    std::string number, set, info, limit;
    call >> number >> set >> info >> limit;
    const bool waits = number == std::to_string(SYS_rt_sigtimedwait) && limit == "0x0";
    if (waits || init_is_holding(child)) return true;
  }
  return false;
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
