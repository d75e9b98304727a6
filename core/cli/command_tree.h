// All commands of weir, declared once: the only list of them.
#pragma once

#include <memory>
#include <string_view>

#include "core/cli/command_help.h"
#include "core/cli/read_words.h"

namespace weir::cli {

class CommandTree {
 public:
  // With a name, that command alone: declaring all of them takes 0.1 ms, one alone a seventh of that.
  explicit CommandTree(std::string_view only = {});
  ~CommandTree();
  const CommandHelp& help() const;
  // Runs the command that was named, of help(). Returns the exit code.
  int run(const ReadWords& read);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace weir::cli
