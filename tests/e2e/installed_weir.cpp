#include "tests/e2e/installed_weir.h"

#include <filesystem>

#include "tests/support/run_program.h"

namespace weir::test {

namespace fs = std::filesystem;

const InstalledWeir& InstalledWeir::instance() {
  static const InstalledWeir only;
  return only;
}

InstalledWeir::InstalledWeir() {
  const auto build = fs::path(WEIR_BINARY).parent_path().parent_path().string();
  const auto first = folder_.path() + "/installed";
  test::run_program(folder_.path(), {"cmake", "--install", build, "--prefix", first});
  fs::rename(first, prefix());
}

std::string InstalledWeir::run(const std::string& directory, std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), prefix() + "/bin/weir");
  return run_program(directory, std::move(arguments));
}

std::string InstalledWeir::run_program(const std::string& directory, std::vector<std::string> words) const {
  // Words of env, which run_program starts.
  std::vector<std::string> all = {"-u",
                                  "WEIR_PLUGIN_PATH",
                                  "WEIR_TRUST=1",
                                  "WEIR_CACHE_DIR=" + directory + "/.cache",
                                  "XDG_CONFIG_HOME=" + directory,
                                  "XDG_DATA_HOME=" + directory,
                                  "CMAKE_PREFIX_PATH=" + prefix()};
  all.insert(all.end(), words.begin(), words.end());
  return test::run_program(directory, all);
}

void InstalledWeir::build_plugin(const std::string& directory, std::vector<std::string> options) const {
  std::vector<std::string> configure = {"cmake", "-S", ".", "-B", "build", "-G", "Ninja"};
  configure.insert(configure.end(), options.begin(), options.end());
  run_program(directory, std::move(configure));
  run_program(directory, {"cmake", "--build", "build"});
}

}  // namespace weir::test
