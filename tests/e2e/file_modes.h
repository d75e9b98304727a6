// For tests of files that their owner may not read or write: modes mean nothing to root otherwise.
#pragma once

#include <unistd.h>

#include "tests/e2e/weir_process.h"
#include "tests/support/run_program.h"

namespace weir::test {

// Throws if it does not end with exit 0.
inline void run_weir_bound_by_modes(const TempProject& project, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"env", "WEIR_CACHE_DIR=" + project.cache(), WEIR_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (::geteuid() == 0)
    words.insert(words.begin(), {"setpriv", "--bounding-set", "-dac_override,-dac_read_search"});
  run_program(project.path(), words);
}

}  // namespace weir::test
