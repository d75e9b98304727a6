// weir-inits that wait for a plan, alone or in a sandbox, each with the cgroup in which it was born. For .cpp
// files of core/exec only: it brings in Boost. Loop's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/exec/init_process.h"
#include "core/exec/job_desk.h"
#include "core/exec/tree_control.h"

namespace weir {

struct IdleInit {
  std::shared_ptr<InitProcess> process;
  std::shared_ptr<JobDesk> desk;
  std::unique_ptr<JobCgroup> cgroup;  // null where there are none
  std::string shape;                  // of its sandbox (core/exec/sandbox.h); empty: none
};

class IdleInits {
 public:
  // `cgroups` may be empty, and outlives this.
  explicit IdleInits(const std::unique_ptr<CgroupPool>& cgroups) : cgroups_(cgroups) {}

  // The oldest goes if there are too many.
  void keep(IdleInit one);
  // The newest of that shape; without a process if there is none.
  IdleInit take(const std::string& shape);
  // Waits for their ends.
  void end_all();

 private:
  static constexpr std::size_t kMost = 64;
  void retire(std::size_t at);

  const std::unique_ptr<CgroupPool>& cgroups_;
  std::vector<IdleInit> idle_;                         // the newest last
  std::vector<std::shared_ptr<InitProcess>> retired_;  // until they have ended
};

}  // namespace weir
