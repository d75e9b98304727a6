// The table of commands as scripts for completion want it: one entry for each command that can be named.
#pragma once

#include <vector>

#include "core/cli/command_help.h"

namespace weir::cli {

struct CompletedCommand {
  const CommandHelp* command;
  std::string path;                        // without "weir": "cache stat"; empty: weir itself
  std::vector<const OptionHelp*> options;  // that may stand behind it: its own, then those of its parents
};

class CompletionTable {
 public:
  explicit CompletionTable(const CommandHelp& root);
  CompletionTable(const CompletionTable&) = delete;
  const std::vector<CompletedCommand>& commands() const { return commands_; }

 private:
  void add(const CommandHelp& command, std::vector<const OptionHelp*> inherited);

  CommandHelp root_;  // without what is not listed; `weir help` has all commands below it
  std::vector<CompletedCommand> commands_;
};

}  // namespace weir::cli
