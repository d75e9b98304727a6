// Tells that a job ran out of memory where nobody says so: the kernel killed one of its processes and a shell
// or make made an exit code of it; or a limit of the address space (ulimit -v) let an allocation fail, and
// the program said so and ended.
//
// The kernel counts what it killed by cgroup. Jobs mostly share the memory cgroup of weir (v1, or v2 without
// a controller below), so a count that rose while a job ran may be another job's: exit code 137 is taken for
// it in any case, any other failure only if no job before has accounted for the kills. Whoever is taken for
// killed wrongly runs once more, alone. Loop's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "resources/cgroups.h"

namespace weir {

class OomWatch {
 public:
  explicit OomWatch(const ProbeRoots& roots = {});

  // Kills so far in the cgroup that weir is in. Two microseconds: the files stay open.
  std::uint64_t kills() const;
  // Those since a job began (that is what kills() said then) that explain its failure.
  std::uint64_t explain(std::uint64_t before, int exit);

 private:
  std::vector<UniqueFd> files_;
  std::uint64_t explained_ = 0;  // kills up to this one were some job's
};

// What a program said about memory at the end of its output, if it runs under a limit of its address space;
// empty: nothing.
std::string_view complaint_about_memory(std::string_view output);
// Bytes of address space or data that a process may have; nothing: any.
std::optional<std::uint64_t> address_space_limit();

}  // namespace weir
