// How commands are declared with CLI11, of which weir uses no more than this and the options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weir::cli {

// --help is an option of weir itself, which may stand behind every command. An empty group: it is not listed.
inline CLI::App& declare(CLI::App& parent, const std::string& name, const std::string& what,
                         const std::string& group) {
  auto* command = parent.add_subcommand(name, what);
  command->set_help_flag();
  command->group(group);
  return *command;
}

// What there is to say of a command beside its one line: paragraphs with an empty line between two, and lines
// of examples, which are shown as they are.
inline void explain(CLI::App& command, const std::string& details, const std::string& examples) {
  if (!details.empty()) command.description(command.get_description() + "\n\n" + details);
  command.footer(examples);
}

}  // namespace weir::cli
