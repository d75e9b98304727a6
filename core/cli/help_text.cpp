#include "core/cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/cli/general_help.h"

namespace weir::cli {

namespace {

constexpr std::size_t kWidth = 80;
// What is wider has a line of its own.
constexpr std::size_t kWidestLeft = 22;

struct HelpRow {
  std::string left, text;
};

std::string section(const std::string& title, const std::vector<HelpRow>& rows) {
  if (rows.empty()) return {};
  std::size_t left = 0;
  for (const auto& row : rows)
    if (row.left.size() <= kWidestLeft) left = std::max(left, row.left.size());
  auto out = "\n" + title + ":\n";
  for (const auto& row : rows) {
    auto head = row.left;
    for (const auto& line : wrapped(row.text, kWidth - left - 4)) {
      if (head.size() > left) out += "  " + std::exchange(head, "") + "\n";
      out += fmt::format("  {:<{}}  {}\n", std::exchange(head, ""), left, line);
    }
  }
  return out;
}

// Long names stand below each other, whether there is a short one or not.
std::string aligned(const OptionHelp& option) {
  const bool only_long = option.names.front().starts_with("--");
  return (only_long ? "    " : "") + usage_of(option);
}

std::vector<HelpRow> option_rows(const CommandHelp& command) {
  std::vector<HelpRow> rows;
  for (const auto& option : command.options) rows.push_back({aligned(option), full_text(option)});
  return rows;
}

std::vector<HelpRow> word_rows(const CommandHelp& command) {
  std::vector<HelpRow> rows;
  for (const auto& word : command.words)
    rows.push_back({word.value.name + (word.many ? "..." : ""), full_text(word)});
  return rows;
}

std::string commands_text(const CommandHelp& parent) {
  std::vector<std::pair<std::string, std::vector<HelpRow>>> groups;
  std::size_t widest = 0;
  for (const auto& command : parent.commands)
    widest = std::max(widest, command.listed() ? command.name().size() : 0);
  for (const auto& command : parent.commands) {
    if (!command.listed()) continue;
    if (groups.empty() || groups.back().first != command.group) groups.push_back({command.group, {}});
    groups.back().second.push_back({fmt::format("{:<{}}", command.name(), widest), command.what});
  }
  std::string out;
  for (const auto& [title, rows] : groups) out += section(title, rows);
  return out;
}

std::string title_of_options(const Lineage& commands, std::size_t whose) {
  if (whose == 0) return "Options of every command, before or behind it";
  return whose + 1 == commands.size() ? "Options" : "Options of " + full_name(*commands[whose]);
}

std::string exit_codes_text() {
  std::vector<HelpRow> rows;
  for (const auto& [code, text] : exit_codes()) rows.push_back({code, text});
  return section("Exit codes", rows);
}

std::string examples_text(const CommandHelp& command) {
  if (command.examples.empty()) return {};
  std::istringstream lines(command.examples);
  std::string out = "\nExamples:\n";
  for (std::string line; std::getline(lines, line);) out += line.empty() ? "\n" : "  " + line + "\n";
  return out;
}

std::string further_reading(const Lineage& commands) {
  if (commands.size() == 1)
    return "\nMore: weir COMMAND --help, or the manual pages weir(1) and weir-COMMAND(1).\n";
  return fmt::format("\nMore: weir-{}(1); exit codes and options of every command in weir(1).\n",
                     commands[1]->name());
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string help_text(const Lineage& commands) {
  const auto& command = *commands.back();
  const bool root = commands.size() == 1;
  auto out = joined(wrapped(full_name(command) + ": " + command.what, kWidth), "\n") + "\n";
  out += "\nUsage: " + usage_of(command) + "\n";
  for (const auto& paragraph : paragraphs(command.details))
    out += "\n" + joined(wrapped(paragraph, kWidth), "\n") + "\n";
  out += commands_text(command);
  out += section("Arguments", word_rows(command));
  for (std::size_t i = commands.size(); i-- > 0;)
    out += section(title_of_options(commands, i), option_rows(*commands[i]));
  if (root) out += exit_codes_text();
  return out + examples_text(command) + further_reading(commands);
}

}  // namespace weir::cli
