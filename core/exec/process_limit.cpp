#include "core/exec/process_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

namespace weir {
namespace {

// `make -j64` of compilers and JVMs has some 2,000.
constexpr std::uint64_t kMostProcesses = 16384;
constexpr std::uint64_t kLeastProcesses = 512;  // the kernel takes no less than 301 for a namespace

std::uint64_t kernel_setting(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : UINT64_MAX;
}

std::uint32_t find_limit() {
  auto most = std::min(kernel_setting("/proc/sys/kernel/pid_max") / 2,
                       kernel_setting("/proc/sys/kernel/threads-max") / 4);
  rlimit own{};
  if (::getrlimit(RLIMIT_NPROC, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
    most = std::min<std::uint64_t>(most, own.rlim_cur / 2);
  return static_cast<std::uint32_t>(std::clamp(most, kLeastProcesses, kMostProcesses));
}

}  // namespace

std::uint32_t most_processes_of_a_job() {
  static const auto most = find_limit();
  return most;
}

bool is_near_process_limit(std::uint32_t processes, std::uint32_t most) {
  constexpr std::uint64_t kReserved = 300;  // pids that the kernel gives to the first processes only
  const std::uint64_t ended_meanwhile = most / 16;
  return most > 0 && processes + kReserved + ended_meanwhile >= most;
}

ProcessLimitKinds process_limits_of(const char* release) {
  unsigned major = 0, minor = 0;
  if (std::sscanf(release, "%u.%u", &major, &minor) != 2) return {};
  const auto version = std::pair(major, minor);
  return {version >= std::pair(6U, 14U), version >= std::pair(5U, 14U)};
}

}  // namespace weir
