// Runs programs as another user, or in the user and mount namespace of another process.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/e2e/weir_process.h"

namespace weir::test {

struct Guest {
  std::optional<uid_t> user;  // also its group; supplementary groups are given up
  pid_t namespaces_of = 0;    // a process whose user and mount namespaces are entered
  std::string directory;      // where it runs; holds its output files as well
  std::vector<std::string> environment;
  rlim_t processes = 0;          // its RLIMIT_NPROC; 0: as it is here
  std::function<bool()> before;  // called as that user, in its process; what it returns must be true
};

// Standard output and error are files in the directory, so whoever keeps them open does not hold up the test.
Finished run_as(const Guest& guest, std::vector<std::string> words);
// The call runs in a child of its own with that identity; whether it returned true.
bool call_as(const Guest& guest, const std::function<bool()>& call);

// Whether this process may become that user.
bool can_become(uid_t user);

}  // namespace weir::test
