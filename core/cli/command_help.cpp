#include "core/cli/command_help.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::cli {

const CommandHelp* CommandHelp::command(std::string_view wanted) const {
  const auto at = std::find_if(commands.begin(), commands.end(),
                               [&](const CommandHelp& one) { return one.name() == wanted; });
  return at == commands.end() ? nullptr : &*at;
}

const OptionHelp* CommandHelp::option(std::string_view wanted) const {
  const auto has = [&](const OptionHelp& one) {
    return std::find(one.names.begin(), one.names.end(), wanted) != one.names.end();
  };
  const auto at = std::find_if(options.begin(), options.end(), has);
  return at == options.end() ? nullptr : &*at;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<std::string> paragraphs(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find("\n\n", from), text.size());
    all.push_back(text.substr(from, end - from));
    from = end + 2;
  }
  return all;
}

std::string full_name(const CommandHelp& command) { return joined(command.path); }

std::string choices_text(const std::vector<std::string>& choices) {
  if (choices.size() < 2) return joined(choices);
  return joined({choices.begin(), choices.end() - 1}, ", ") + " or " + choices.back();
}

std::string usage_of(const WordHelp& word) {
  const auto name = word.value.name + (word.many ? "..." : "");
  return word.required ? name : "[" + name + "]";
}

std::string usage_of(const OptionHelp& option) {
  return joined(option.names, ", ") + (option.value ? " " + option.value->name : "");
}

std::string usage_of(const CommandHelp& command) {
  auto line = full_name(command) + " [OPTION...]";
  if (!command.commands.empty()) line += " COMMAND";
  for (const auto& word : command.words) line += " " + usage_of(word);
  if (command.runs_others) line += " [-- COMMAND...]";
  return line;
}

std::string accepted(const ValueHelp& value) {
  auto all = value.choices;
  if (value.range)
    all.push_back(fmt::format("a whole number from {} to {}", value.range->least, value.range->most));
  return choices_text(all);
}

namespace {

std::string with_choices(const std::string& text, const ValueHelp& value) {
  if (value.choices.empty() || text.find(value.choices.back()) != text.npos) return text;
  return text + ": " + choices_text(value.choices);
}

}  // namespace

std::string full_text(const OptionHelp& option) {
  const auto text = option.value ? with_choices(option.text, *option.value) : option.text;
  return option.usual.empty() ? text : fmt::format("{} ({} if not given)", text, option.usual);
}

std::string full_text(const WordHelp& word) { return with_choices(word.text, word.value); }

Lineage lineage(const CommandHelp& root, const std::vector<std::string>& names) {
  Lineage found = {&root};
  for (const auto& name : names) {
    found.push_back(found.back()->command(name));
    if (!found.back()) return {};
  }
  return found;
}

const OptionHelp* find_option(const Lineage& commands, std::string_view name) {
  for (auto at = commands.rbegin(); at != commands.rend(); ++at)
    if (const auto* option = (*at)->option(name)) return option;
  return nullptr;
}

Completes completes(const ValueHelp& value) {
  if (value.name == "FILE") return Completes::files;
  if (value.name == "DIR") return Completes::folders;
  if (value.name == "TARGET" || value.name == "ELEMENT" || value.name == "JOB") return Completes::elements;
  return Completes::nothing;
}

}  // namespace weir::cli
