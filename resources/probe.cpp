#include "resources/probe.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace weir {
namespace {

constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  if (end != text.data() + text.size() && *end != '\n' && *end != ' ') return std::nullopt;
  return value;
}

std::optional<std::uint64_t> read_number(const std::string& path) { return parse_number(read_text(path)); }

// "MemTotal:       8010588 kB"
std::uint64_t meminfo(const std::string& text, std::string_view key) {
  const auto at = text.find(key);
  if (at == text.npos) return 0;
  const auto digits = text.find_first_of("0123456789", at + key.size());
  return digits == text.npos ? 0 : parse_number(std::string_view(text).substr(digits)).value_or(0) * 1024;
}

// Where this process stands in one hierarchy: the folder of its controller and its path in it.
struct Membership {
  std::string mount;
  std::string path;
  bool v2 = false;
};

bool holds(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool exists(const std::string& path) { return std::ifstream(path).good(); }

// Lines of /proc/self/cgroup: "4:memory:/a/b" (v1), "0::/a/b" (v2; mounted at the root or, hybrid, in unified).
std::vector<Membership> memberships(const ProbeRoots& roots, std::string_view controller) {
  std::vector<Membership> result;
  std::istringstream lines(read_text(roots.proc + "/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto path = line.substr(second + 1);
    if (controllers.empty()) {
      const bool hybrid = exists(roots.cgroup + "/unified/cgroup.controllers");
      result.push_back({roots.cgroup + (hybrid ? "/unified" : ""), path, true});
    } else if (holds(controllers, controller)) {
      // Controllers that are mounted together ("cpu,cpuacct") have links under their single names.
      result.push_back({roots.cgroup + "/" + std::string(controller), path, false});
    }
  }
  return result;
}

// From the own cgroup up to the root; in a container the upper part of the path may not be there, and then the mount is
// the own cgroup.
template <class Visit>
void walk_up(const Membership& member, Visit visit) {
  for (auto path = member.path == "/" ? std::string() : member.path;;) {
    visit(member.mount + path);
    if (path.empty()) return;
    const auto slash = path.rfind('/');
    path.resize(slash == path.npos ? 0 : slash);
  }
}

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

MemoryLimit memory_limit(const std::string& folder, bool v2) {
  const auto limit = read_number(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  const auto used = read_number(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  if (!limit || *limit == 0) return {};
  return {*limit, *limit - std::min(*limit, used.value_or(0))};
}

unsigned affinity_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

}  // namespace

Machine probe_machine(const ProbeRoots& roots, unsigned affinity) {
  std::uint64_t cores = affinity ? affinity : affinity_of_this_thread();
  for (const auto& member : memberships(roots, "cpu"))
    walk_up(member, [&](const std::string& folder) { cores = std::min(cores, cpu_limit(folder, member.v2)); });

  const auto info = read_text(roots.proc + "/meminfo");
  Machine machine;
  machine.cores = static_cast<unsigned>(std::max<std::uint64_t>(1, cores));
  machine.memory = meminfo(info, "MemTotal:");
  machine.available = meminfo(info, "MemAvailable:");
  for (const auto& member : memberships(roots, "memory"))
    walk_up(member, [&](const std::string& folder) {
      const auto [limit, left] = memory_limit(folder, member.v2);
      machine.memory = std::min(machine.memory, limit);
      machine.available = std::min(machine.available, left);
    });
  return machine;
}

}  // namespace weir
