// The builds of a run: the one that it was started for, and those that were submitted while it went on. A
// build has one requestor, and by it one class. An element belongs to the build that wanted it first.
#pragma once

#include <string>
#include <vector>

#include "core/model/placement.h"

namespace weir {

struct Build {
  std::string requestor;
  ClassId work_class{};
  std::string class_name;  // empty where there are no classes
  bool blocked = false;    // the allocator passes over it
};

using Builds = std::vector<Build>;  // by BuildId

}  // namespace weir
