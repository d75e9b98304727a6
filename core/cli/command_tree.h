// All commands of weir, declared once: the only list of them.
#pragma once

#include <memory>

#include "core/cli/command_help.h"
#include "core/cli/read_words.h"

namespace weir::cli {

class CommandTree {
 public:
  CommandTree();
  ~CommandTree();
  const CommandHelp& help() const;
  // Runs the command that was named, of help(). Returns the exit code.
  int run(const ReadWords& read);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace weir::cli
