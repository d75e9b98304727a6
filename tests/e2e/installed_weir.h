// weir as `cmake --install` leaves it, for tests of what others build with it. Installed once per test
// program, and then moved: nothing in it may depend on where it was first.
#pragma once

#include <string>
#include <vector>

#include "tests/e2e/weir_process.h"

namespace weir::test {

class InstalledWeir {
 public:
  static const InstalledWeir& instance();
  std::string prefix() const { return folder_.path() + "/moved here"; }

  // What `weir` wrote; throws if it does not end with exit 0. Its store is in `directory`.
  std::string run(const std::string& directory, std::vector<std::string> arguments) const;
  // What any program wrote that is to find this weir and no other plugins.
  std::string run_program(const std::string& directory, std::vector<std::string> words) const;
  // Configures and builds the CMake project in `directory`, below it in build/, against this weir alone.
  void build_plugin(const std::string& directory, std::vector<std::string> options = {}) const;

 private:
  InstalledWeir();
  TempProject folder_;
};

}  // namespace weir::test
