#include "core/cli/command_line.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

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

// The first word that is neither an option nor the value of one of weir's own; empty if there is none.
std::string named_command(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-C" || words[i] == "--color") ++i;
    else if (!words[i].starts_with('-')) return words[i];
  }
  return {};
}

// Nearly every run names a command and makes no mistake, so that one is declared alone. Whoever is to be
// helped, by --help or after a mistake, gets all of them, as do the commands that tell of others; then there
// is no answer here.
std::optional<int> run_without_others(const std::vector<std::string>& words) {
  const auto name = named_command(words);
  if (name.empty() || name == "help" || name == "completion") return std::nullopt;
  CommandTree tree(name);
  const auto read = read_words(tree.help(), words);
  if (!read || read->commands.size() < 2 || read->has("--help") || read->has("--version"))
    return std::nullopt;
  return tree.run(*read);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  if (!start_log_from_environment()) return kUsage;
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (words == std::vector<std::string>{"--version"}) {
    weir::print("weir {}\n", version());
    return kDone;
  }
  if (const auto exit = run_without_others(words)) return *exit;
  CommandTree tree;
  const auto read = read_words(tree.help(), words);
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
