// The words of a command line, parsed by the table of commands (core/cli/command_help.h). Every word is taken
// as it is: "[a,b]" is one target, and so is anything behind "--". A mistake is a usage error that names the
// word and the remedy.
//
// Options may stand before and behind the words, and those of weir itself behind the command, too. "--" ends
// them.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/cli/command_help.h"

namespace weir::cli {

struct GivenOption {
  const CommandHelp* command;  // whose option it is
  const OptionHelp* option;
  std::string value;
};

struct GivenWord {
  const WordHelp* word;
  std::string value;
};

struct ReadWords {
  Lineage commands;  // weir, then as far as they are named
  std::vector<GivenOption> options;
  std::vector<GivenWord> words;     // of the innermost command
  std::vector<std::string> behind;  // "--", for a command that runs others
  bool has(std::string_view option) const;
  const CommandHelp& command() const { return *commands.back(); }
};

// `words` without the name of the program. If help is asked for, nothing needs to be complete. No command at
// all is no error here: the caller has more to say then.
Result<ReadWords> read_words(const CommandHelp& root, const std::vector<std::string>& words);

}  // namespace weir::cli
