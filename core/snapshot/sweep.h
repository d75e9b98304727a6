// Looks whether paths are still what they were: one statx each, on as many threads as there are cores.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_stamp.h"
#include "core/snapshot/tables.h"

namespace weir::snapshot {

struct SweepInput {
  std::string root;  // of the project: paths are below it, or absolute
  std::span<const Watch> watches;
  std::string_view paths;
  std::span<const Text> folders;
};

struct Changed {
  std::uint32_t watch;
  FileStamp now;
};

// Those whose stamp is another one, and those that were too young to be believed; in order.
std::vector<Changed> sweep(const SweepInput& input);

}  // namespace weir::snapshot
