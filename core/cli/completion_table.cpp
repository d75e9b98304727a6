#include "core/cli/completion_table.h"

#include <algorithm>

namespace weir::cli {

namespace {

constexpr const char* kNameOfCommand = "COMMAND";

void drop_unlisted(CommandHelp& command) {
  std::erase_if(command.commands, [](const CommandHelp& one) { return !one.listed(); });
  for (auto& one : command.commands) drop_unlisted(one);
}

// A command as a word behind `weir help`.
CommandHelp only_names(const CommandHelp& command, const CommandHelp& parent) {
  CommandHelp name;
  name.path = parent.path;
  name.path.push_back(command.name());
  name.group = command.group;
  name.what = command.what;
  for (const auto& one : command.commands) name.commands.push_back(only_names(one, name));
  return name;
}

void name_commands_below(CommandHelp& root) {
  const auto all = root.commands;
  for (auto& command : root.commands)
    if (!command.words.empty() && command.words.front().value.name == kNameOfCommand)
      for (const auto& one : all) command.commands.push_back(only_names(one, command));
}

}  // namespace

CompletionTable::CompletionTable(const CommandHelp& root) : root_(root) {
  drop_unlisted(root_);
  name_commands_below(root_);
  add(root_, {});
}

void CompletionTable::add(const CommandHelp& command, std::vector<const OptionHelp*> inherited) {
  std::vector<const OptionHelp*> options;
  for (const auto& option : command.options) options.push_back(&option);
  options.insert(options.end(), inherited.begin(), inherited.end());
  commands_.push_back({&command, joined({command.path.begin() + 1, command.path.end()}), options});
  for (const auto& one : command.commands) add(one, options);
}

}  // namespace weir::cli
