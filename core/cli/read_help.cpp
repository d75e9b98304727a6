#include "core/cli/read_help.h"

#include <CLI/CLI.hpp>

#include "core/cli/value_checks.h"

namespace weir::cli {

namespace {

// CLI11 shows a value as its name and what its validators say: "WHEN:one of auto,always,never".
ValueHelp read_value(const CLI::Option& option) {
  const auto parts = CLI::detail::split(option.get_type_name(), ':');
  ValueHelp value;
  if (!parts.empty()) value.name = parts.front();
  for (const auto& part : parts) {
    if (part.starts_with(kOneOf)) value.choices = CLI::detail::split(part.substr(kOneOf.size()), ',');
    if (!part.starts_with(kNumber)) continue;
    const auto ends = CLI::detail::split(part.substr(kNumber.size()), ',');
    value.range = {std::stoull(ends.front()), std::stoull(ends.back())};
  }
  return value;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

OptionHelp read_option(const CLI::Option& option) {
  OptionHelp help;
  help.names = names_of(option);
  if (option.get_items_expected_max() > 0) help.value = read_value(option);
  help.text = option.get_description();
  help.usual = option.get_default_str();
  for (const auto* other : option.get_excludes()) help.excludes.push_back(names_of(*other).back());
  std::sort(help.excludes.begin(), help.excludes.end());  // CLI11 has them in the order of their addresses
  return help;
}

WordHelp read_word(const CLI::Option& option) {
  return {option.get_name(), read_value(option), option.get_description(), option.get_required(),
          option.get_items_expected_max() > 1};
}

CommandHelp read_command(CLI::App& app, std::vector<std::string> path) {
  CommandHelp help;
  help.path = std::move(path);
  help.path.push_back(app.get_name());
  help.group = app.get_group();
  const auto description = app.get_description();
  const auto end = description.find("\n\n");
  help.what = description.substr(0, end);
  if (end != description.npos) help.details = description.substr(end + 2);
  help.examples = app.get_footer();
  help.runs_others = app.get_prefix_command();
  for (const auto* option : app.get_options()) {
    if (option->get_positional()) help.words.push_back(read_word(*option));
    else help.options.push_back(read_option(*option));
  }
  for (auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    help.commands.push_back(read_command(*command, help.path));
  return help;
}

}  // namespace

CommandHelp read_help(CLI::App& root) { return read_command(root, {}); }

}  // namespace weir::cli
