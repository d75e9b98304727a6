#include "core/exec/affinity.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace weir {
namespace {

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  DIR* directory = ::opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (!directory) return threads;
  while (const dirent* entry = ::readdir(directory))
    if (entry->d_name[0] != '.') threads.push_back(static_cast<pid_t>(std::atoi(entry->d_name)));
  ::closedir(directory);
  return threads;
}

}  // namespace

CpuShares::CpuShares() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus_.push_back({cpu, 0});
}

std::vector<int> CpuShares::take(std::uint32_t cores) {
  std::stable_sort(cpus_.begin(), cpus_.end(), [](const Cpu& a, const Cpu& b) {
    return a.users != b.users ? a.users < b.users : a.number < b.number;
  });
  const auto count = std::clamp<std::size_t>(cores, 1, std::max<std::size_t>(1, cpus_.size()));
  std::vector<int> taken;
  for (std::size_t i = 0; i < count && i < cpus_.size(); ++i) {
    ++cpus_[i].users;
    taken.push_back(cpus_[i].number);
  }
  return taken;
}

void CpuShares::give_back(const std::vector<int>& cpus) {
  for (auto& cpu : cpus_)
    if (std::find(cpus.begin(), cpus.end(), cpu.number) != cpus.end() && cpu.users > 0) --cpu.users;
}

std::vector<pid_t> process_tree(pid_t root) {
  std::vector<pid_t> tree{root};
  for (std::size_t i = 0; i < tree.size(); ++i)
    for (const auto thread : threads_of(tree[i])) {
      std::ifstream children(fmt::format("/proc/{}/task/{}/children", tree[i], thread));
      for (pid_t child; children >> child;) tree.push_back(child);
    }
  return tree;
}

void set_tree_affinity(pid_t root, const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  std::set<pid_t> done;
  for (bool fresh = true; fresh;) {
    fresh = false;
    for (const auto pid : process_tree(root))
      for (const auto thread : threads_of(pid)) {
        if (!done.insert(thread).second) continue;
        fresh = true;
        ::sched_setaffinity(thread, sizeof set, &set);
      }
  }
}

}  // namespace weir
