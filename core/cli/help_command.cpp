// weir help: --help in other words.
#include <memory>

#include "core/base/print.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/help_text.h"
#include "core/cli/tell.h"
#include "core/cli/usage_errors.h"

namespace weir::cli {

namespace {

int help(const CommandHelp& root, const std::vector<std::string>& names) {
  Lineage commands = {&root};
  for (const auto& name : names) {
    const auto& parent = *commands.back();
    if (parent.commands.empty()) return tell(too_many_words(parent, name).value());
    const auto* named = parent.command(name);
    if (!named) return tell(unknown_command(parent, name).value());
    commands.push_back(named);
  }
  weir::print("{}", help_text(commands));
  return kDone;
}

}  // namespace

Run add_help_command(Command& command, const Globals&) {
  const auto names = std::make_shared<std::vector<std::string>>();
  command.add_word("command", names.get(), "COMMAND", "without one, weir as a whole");
  command.explain("", "weir help build\nweir help cache gc");
  return [names, &root = command.root()] { return help(root.help(), *names); };
}

}  // namespace weir::cli
