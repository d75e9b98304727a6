#include <fmt/format.h>

#include <set>

#include "core/cli/completion_scripts.h"
#include "core/cli/completion_table.h"

namespace weir::cli {

namespace {

// A word of fish that means these bytes: in single quotes, where only \ and ' mean something.
std::string word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string words(const std::set<std::string>& all) {
  std::string out;
  for (const auto& one : all) out += " " + word(one);
  return out;
}

constexpr const char* kFunctions = R"--(
# The command that is written so far, then how many of its words, then the folder of -C, each on a line.
function __weir_line
    set -l path
    set -l count 0
    set -l folder
    set -l pending
    set -l only
    for token in (commandline -opc)[2..]
        if test -n "$pending"
            test "$pending" = -C; and set folder $token
            set pending
        else if test -z "$only"; and string match -q -- '-?*' $token
            if test "$token" = --
                set only 1
            else if contains -- $token $__weir_valued
                set pending $token
            else if string match -q -- '-C?*' $token
                set folder (string sub -s 3 -- $token)
            end
        else if test -z "$only"; and contains -- (string join ' ' -- $path $token) $__weir_commands
            set -a path $token
        else
            set count (math $count + 1)
        end
    end
    string match -q -r -- '^~(/|$)' "$folder"; and set folder $HOME(string sub -s 2 -- $folder)
    string join ' ' -- $path ''
    echo $count
    echo $folder
end

# Whether the line is at this command, and at this of its words if there is a second word.
function __weir_at
    set -l line (__weir_line)
    test (string trim -- $line[1]) = "$argv[1]"; or return 1
    test (count $argv) -lt 2; or test $line[2] = $argv[2]
end

function __weir_elements
    set -l line (__weir_line)
    set -l weir (commandline -opc)[1]
    type -q -- $weir; or set weir weir
    set -l folder
    test -n "$line[3]"; and set folder -C $line[3]
    command $weir $folder completion elements -- (commandline -ct) 2>/dev/null
end

complete -c weir -f
)--";

std::string values_of(const ValueHelp& value) {
  if (!value.choices.empty()) return " -a " + word(joined(value.choices));
  switch (completes(value)) {
    case Completes::files: return " -F";
    case Completes::folders: return " -a '(__fish_complete_directories)'";
    case Completes::elements: return " -a '(__weir_elements)'";
    case Completes::nothing: break;
  }
  return "";
}

std::string option_line(const OptionHelp& option, const std::string& condition) {
  std::string line = "complete -c weir" + condition;
  for (const auto& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.value)
    line += completes(*option.value) == Completes::files ? " -r -F" : " -x" + values_of(*option.value);
  return line + " -d " + word(full_text(option)) + "\n";
}

std::string at(const CompletedCommand& command) { return " -n " + word("__weir_at " + word(command.path)); }

std::string fish_words(const CompletedCommand& command) {
  std::string out;
  for (std::size_t i = 0; i < command.command->words.size(); ++i) {
    const auto& one = command.command->words[i];
    const auto values = values_of(one.value);
    if (values.empty()) continue;
    const auto condition =
        one.many ? at(command) : " -n " + word(fmt::format("__weir_at {} {}", word(command.path), i));
    out += fmt::format("complete -c weir{}{}\n", condition, values);
  }
  return out;
}

}  // namespace

std::string fish_completion(const CommandHelp& root) {
  const CompletionTable all(root);
  std::set<std::string> commands, valued;
  std::string lines;
  for (const auto& command : all.commands()) {
    if (!command.path.empty()) commands.insert(command.path);
    for (const auto* option : command.options)
      if (option->value) valued.insert(option->names.begin(), option->names.end());
    // Those of weir itself, the last ones, may stand anywhere.
    const auto own = command.options.size() - (command.path.empty() ? 0 : root.options.size());
    for (std::size_t i = 0; i < own; ++i)
      lines += option_line(*command.options[i], command.path.empty() ? "" : at(command));
    for (const auto& one : command.command->commands)
      lines += fmt::format("complete -c weir{} -a {} -d {}\n", at(command), one.name(), word(one.what));
    if (command.command->commands.empty()) lines += fish_words(command);
  }
  const auto lists =
      fmt::format("set -g __weir_commands{}\nset -g __weir_valued{}\n", words(commands), words(valued));
  return "# Completion of weir for fish, as `weir completion fish` writes it.\n" + lists + kFunctions + lines;
}

}  // namespace weir::cli
