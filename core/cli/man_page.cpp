#include "core/cli/man_page.h"

#include <fmt/format.h>

#include <sstream>

#include "core/cli/general_help.h"
#include "core/cli/version.h"

namespace weir::cli {

namespace {

// roff takes a backslash for a command, a dash for a hyphen, and a line that begins with a dot or an
// apostrophe for a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '\'') out += "\\(aq";
    else if (c == '`') out += "\\(ga";
    else if (c == '^') out += "\\(ha";
    else if (c == '~') out += "\\(ti";
    else out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string page_name(const CommandHelp& command) { return joined(command.path, "-"); }
std::string section(std::string_view title) { return fmt::format(".SH {}\n", title); }
std::string tagged(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + "\n" + roff(text) + "\n";
}

std::string prose(const std::string& text) {
  std::string out;
  for (const auto& paragraph : paragraphs(text)) out += (out.empty() ? "" : ".PP\n") + roff(paragraph) + "\n";
  return out;
}

std::string synopsis(const CommandHelp& command) {
  const auto name = full_name(command);
  return bold(name) + roff(usage_of(command).substr(name.size())) + "\n";
}

std::string tag_of(const OptionHelp& option) {
  std::string tag;
  for (const auto& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  return option.value ? tag + " " + italic(option.value->name) : tag;
}

std::string list_of(const CommandHelp& command) {
  std::string out;
  for (const auto& word : command.words)
    out += tagged(italic(word.value.name + (word.many ? "..." : "")), full_text(word));
  for (const auto& option : command.options) out += tagged(tag_of(option), full_text(option));
  return out;
}

std::string list_of(std::span<const Explained> all) {
  std::string out;
  for (const auto& [name, text] : all) out += tagged(bold(name), text);
  return out;
}

std::string examples(const CommandHelp& command) {
  if (command.examples.empty()) return {};
  return ".RS 4\n.nf\n" + roff(command.examples) + "\n.fi\n.RE\n";
}

std::string command_list(const CommandHelp& root) {
  std::string out, group;
  for (const auto& command : root.commands) {
    if (!command.listed()) continue;
    if (command.group != group) out += ".SS " + roff(group = command.group) + "\n";
    out += tagged(bold(page_name(command)) + "(1)", command.what);
  }
  return out;
}

// A family is told of on one page.
std::string subcommands(const CommandHelp& parent) {
  std::string out;
  for (const auto& command : parent.commands)
    if (command.listed())
      out += ".SS " + roff(full_name(command)) + "\n" + synopsis(command) + ".PP\n" +
             prose(command.what + "\n\n" + command.details) + list_of(command) +
             (command.examples.empty() ? "" : ".PP\n" + examples(command));
  return out;
}

std::string see_also(const CommandHelp& root, const CommandHelp& command) {
  if (&command != &root)
    return section("SEE ALSO") + bold(root.name()) +
           "(1), with the options of every command and the exit codes.\n";
  return section("SEE ALSO") + bold("weir help") +
         ", and the documents that come with weir: docs/ in its sources.\n";
}

}  // namespace

std::string man_page(const CommandHelp& root, const CommandHelp& command) {
  const bool whole = &command == &root;
  auto out =
      fmt::format(".TH {} 1 \"\" \"weir {}\" \"weir manual\"\n", roff(upper(page_name(command))), version());
  out += section("NAME") + roff(page_name(command)) + " \\- " + roff(command.what) + "\n";
  out += section("SYNOPSIS") + synopsis(command);
  if (!command.details.empty()) out += section("DESCRIPTION") + prose(command.details);
  if (whole) out += section("COMMANDS") + command_list(root);
  if (const auto list = list_of(command); !list.empty()) out += section("OPTIONS") + list;
  if (!whole && !command.commands.empty()) out += section("COMMANDS") + subcommands(command);
  if (whole) {
    out += section("EXIT STATUS") + list_of(exit_codes());
    out += section("ENVIRONMENT") + list_of(environment_variables());
    out += section("FILES") + list_of(important_files());
  }
  if (const auto lines = examples(command); !lines.empty()) out += section("EXAMPLES") + lines;
  return out + see_also(root, command);
}

}  // namespace weir::cli
