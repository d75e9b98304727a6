#include "resources/probe.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace weir {
namespace {

constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t cores_of(std::uint64_t quota, std::uint64_t period) {
  return period == 0 ? kNoLimit : std::max<std::uint64_t>(1, (quota + period - 1) / period);
}

// v2: "150000 100000" or "max 100000"; v1: a quota of -1 is none.
std::uint64_t cpu_limit(const std::string& folder, bool v2) {
  if (v2) {
    const auto text = read_text(folder + "/cpu.max");
    const auto space = text.find(' ');
    if (space == text.npos) return kNoLimit;
    const auto quota = parse_number(std::string_view(text).substr(0, space));
    const auto period = parse_number(std::string_view(text).substr(space + 1));
    return quota && period ? cores_of(*quota, *period) : kNoLimit;
  }
  const auto quota = read_number(folder + "/cpu.cfs_quota_us");
  const auto period = read_number(folder + "/cpu.cfs_period_us");
  return quota && period ? cores_of(*quota, *period) : kNoLimit;
}

struct MemoryLimit {
  std::uint64_t limit = kNoLimit;
  std::uint64_t left = kNoLimit;
};

// What a cgroup holds of files is given up before anybody is killed.
std::uint64_t file_cache(const std::string& folder, bool v2) {
  const auto text = read_text(folder + "/memory.stat");
  const auto part = [&](const char* name) {
    return number_after(text, std::string(v2 ? "" : "total_") + name).value_or(0);
  };
  return part("inactive_file") + part("active_file");
}

MemoryLimit memory_limit(const std::string& folder, bool v2) {
  const auto limit = read_number(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  if (!limit || *limit == 0) return {};
  const auto used = read_number(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes")).value_or(0);
  const auto needed = used - std::min(used, file_cache(folder, v2));
  return {*limit, *limit - std::min(*limit, needed)};
}

unsigned affinity_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

std::uint64_t address_space_of_this_process() {
  rlimit limit;
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : kNoLimit;
}

}  // namespace

Machine probe_machine(const ProbeRoots& roots, ProcessLimits limits) {
  std::uint64_t cores = limits.affinity ? limits.affinity : affinity_of_this_thread();
  for (const auto& member : cgroups_of_this_process(roots, "cpu"))
    walk_up(member,
            [&](const std::string& folder) { cores = std::min(cores, cpu_limit(folder, member.v2)); });

  const auto info = read_text(roots.proc + "/meminfo");
  const auto address_space = limits.address_space ? limits.address_space : address_space_of_this_process();
  Machine machine;
  machine.cores = static_cast<unsigned>(std::max<std::uint64_t>(1, cores));
  machine.memory = std::min(number_after(info, "MemTotal:").value_or(0) * 1024, address_space);
  machine.available = std::min(number_after(info, "MemAvailable:").value_or(0) * 1024, address_space);
  for (const auto& member : cgroups_of_this_process(roots, "memory"))
    walk_up(member, [&](const std::string& folder) {
      const auto [limit, left] = memory_limit(folder, member.v2);
      machine.memory = std::min(machine.memory, limit);
      machine.available = std::min(machine.available, left);
    });
  return machine;
}

std::uint64_t memory_reserve(std::uint64_t memory) {
  constexpr std::uint64_t kMiB = 1024 * 1024;
  return std::min(std::clamp(memory / 16, 64 * kMiB, 2048 * kMiB), memory / 4);
}

}  // namespace weir
