#include <fmt/format.h>

#include "core/base/shell_word.h"
#include "core/cli/completion_scripts.h"
#include "core/cli/completion_table.h"

namespace weir::cli {

namespace {

constexpr const char* kHead = R"--(#compdef weir
# Completion of weir for zsh, as `weir completion zsh` writes it.

# Of the project that -C names, or that of this folder. compadd quotes what it takes.
_weir_elements() {
  local -a names
  names=("${(@f)$("$weir" ${folder:+-C} ${folder:+"$folder"} completion elements -- "${(Q)PREFIX}" 2> /dev/null)}")
  names=(${names:#})
  (( $#names )) && compadd -a names
}
)--";

// What was written of the line is looked at before _arguments cuts it.
constexpr const char* kTail = R"--(
_weir() {
  local weir=weir folder= word
  local -i i
  (( $+commands[${(Q)words[1]}] )) || [[ -x ${(Q)words[1]} ]] && weir=${(Q)words[1]}
  for (( i = 2; i < CURRENT; i++ )); do
    word=${(Q)words[i]}
    [[ $word == -- ]] && break
    if [[ $word == -C ]]; then folder=${(Q)words[i + 1]}; elif [[ $word == -C* ]]; then folder=${word#-C}; fi
  done
  [[ $folder == '~' || $folder == '~/'* ]] && folder=$HOME${folder#'~'}
  _weir_of_weir
}

if [[ $funcstack[1] == _weir ]]; then _weir "$@"; else compdef _weir weir; fi
)--";

// "cache stat" -> _weir_of_weir_cache_stat
std::string function_of(const CompletedCommand& command) {
  auto name = "_weir_of_weir" + std::string(command.path.empty() ? "" : "_") + command.path;
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return name;
}

// What _arguments and _describe take for themselves.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

std::string action_of(const ValueHelp& value) {
  const auto head = ":" + escaped(value.name, ":") + ":";
  if (!value.choices.empty()) return head + "(" + joined(value.choices) + ")";
  switch (completes(value)) {
    case Completes::files: return head + "_files";
    case Completes::folders: return head + "_files -/";
    case Completes::elements: return head + "_weir_elements";
    case Completes::nothing: break;
  }
  return head + " ";
}

// "(-q --quiet)--quiet[say only...]", "(--tar)--tar=[...]:FILE:_files": a specification for each name of an
// option.
std::string option_lines(const OptionHelp& option) {
  auto excluded = option.names;
  excluded.insert(excluded.end(), option.excludes.begin(), option.excludes.end());
  std::string out;
  for (const auto& name : option.names) {
    const auto* attached = !option.value ? "" : name.starts_with("--") ? "=" : "+";
    const auto text =
        fmt::format("({}){}{}[{}]{}", joined(excluded), name, attached, escaped(full_text(option), "[]:"),
                    option.value ? action_of(*option.value) : "");
    out += fmt::format("    {}\n", shell_word(text));
  }
  return out;
}

std::string commands_line(const CommandHelp& parent) {
  std::string all;
  for (const auto& command : parent.commands)
    all += " " + shell_word(escaped(command.name(), ":") + ":" + escaped(command.what, ":"));
  return fmt::format("  commands=({})\n", all.substr(1));
}

std::string zsh_words(const CommandHelp& command) {
  std::string out;
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const auto& word = command.words[i];
    const auto place = word.many ? std::string("*") : fmt::format("{}{}", i + 1, word.required ? "" : ":");
    out += fmt::format("    {}\n", shell_word(place + action_of(word.value)));
  }
  return out;
}

// The words behind a command are its own line, in which the command is the first.
std::string family_tail(const CompletedCommand& parent) {
  std::string out =
      "  case $state in\n    command) _describe -t commands command commands ;;\n    behind)\n      case "
      "$words[1] in\n";
  for (const auto& command : parent.command->commands) {
    const CompletedCommand below{
        &command, (parent.path.empty() ? "" : parent.path + " ") + command.name(), {}};
    out += fmt::format("        {}) {} ;;\n", shell_word(command.name()), function_of(below));
  }
  return out + "      esac ;;\n  esac\n";
}

std::string function_text(const CompletedCommand& command) {
  const bool family = !command.command->commands.empty();
  auto out = fmt::format("\n{}() {{\n", function_of(command));
  out += "  local curcontext=$curcontext state line\n  local -a commands specs\n  typeset -A opt_args\n";
  if (family) out += commands_line(*command.command);
  out += "  specs=(\n";
  for (const auto* option : command.options) out += option_lines(*option);
  out += family ? "    '1: :->command'\n    '*:: :->behind'\n" : zsh_words(*command.command);
  if (command.command->runs_others) out += "    '*:: :_normal'\n";
  // Options behind a command are those of its own function.
  out += fmt::format("  )\n  _arguments -C -S -s {}$specs && return\n", family ? "-A '-*' " : "");
  return out + (family ? family_tail(command) : "") + "}\n";
}

}  // namespace

std::string zsh_completion(const CommandHelp& root) {
  const CompletionTable all(root);
  std::string out = kHead;
  for (const auto& command : all.commands()) out += function_text(command);
  return out + kTail;
}

}  // namespace weir::cli
