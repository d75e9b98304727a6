// Which CPUs a job may use. Each job gets the CPUs that the fewest others have; the whole tree is set, thread
// by thread, until a walk finds none that is new (a new thread inherits the mask of the one that made it).
// Loop's thread.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace weir {

class CpuShares {
 public:
  CpuShares();
  // `cores` CPUs, at least one, at most all. Give them back when the job ends.
  std::vector<int> take(std::uint32_t cores);
  void give_back(const std::vector<int>& cpus);

 private:
  struct Cpu {
    int number;
    unsigned users;
  };
  std::vector<Cpu> cpus_;
};

// All processes below and including `root`, by /proc/<pid>/task/<tid>/children.
std::vector<pid_t> process_tree(pid_t root);
void set_tree_affinity(pid_t root, const std::vector<int>& cpus);

}  // namespace weir
