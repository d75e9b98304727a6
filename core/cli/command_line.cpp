#include "core/cli/command_line.h"

#include <cstdlib>

#include "core/base/log.h"
#include "core/base/print.h"
#include "core/cli/command_tree.h"
#include "core/cli/exit_codes.h"
#include "core/cli/help_text.h"
#include "core/cli/tell.h"
#include "core/cli/version.h"

namespace weir::cli {

namespace {

bool start_log_from_environment() {
  const char* level = std::getenv("WEIR_LOG");
  if (!level || !*level || start_log(level)) return true;
  weir::print(stderr, "weir: WEIR_LOG is \"{}\"; it can be trace, debug, info, warn, error or off\n", level);
  return false;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  if (!start_log_from_environment()) return kUsage;
  CommandTree tree;
  const auto read = read_words(tree.help(), {argv + (argc > 0 ? 1 : 0), argv + argc});
  if (!read) return tell(read.error());
  if (read->has("--help")) {
    weir::print("{}", help_text(read->commands));
    return kDone;
  }
  if (read->has("--version")) {
    weir::print("weir {}\n", version());
    return kDone;
  }
  if (read->commands.size() > 1) return tree.run(*read);
  weir::print(stderr, "{}", help_text(read->commands));
  return kUsage;
}

}  // namespace weir::cli
