#include <fmt/format.h>

#include "core/base/shell_word.h"
#include "core/cli/completion_scripts.h"
#include "core/cli/completion_table.h"

namespace weir::cli {

namespace {

// bash cuts a line at "=", "@" and ":" before it asks; the words are put together again from the line itself.
// Nothing of the line is expanded or evaluated but a "~/" at the begin of a folder.
constexpr const char* kScript = R"--(
# The line up to the cursor as words, in `words`, each as it was written.
_weir_words() {
  local rest=$COMP_LINE i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if ((i == 0)) || [[ $rest == [[:blank:]]* ]]; then
      rest=${rest#"${rest%%[![:blank:]]*}"}
      words+=("${COMP_WORDS[i]}")
    else
      words[${#words[@]} - 1]+=${COMP_WORDS[i]}
    fi
    rest=${rest#"${COMP_WORDS[i]}"}
  done
}

# What a word means without its quotes, in `meant`.
_weir_meant() {
  local text=$1 quote= c
  meant=
  while [[ $text ]]; do
    c=${text:0:1} text=${text:1}
    if [[ $quote == "'" && $c != "'" ]]; then meant+=$c
    elif [[ $c == "\\" ]]; then meant+=${text:0:1} text=${text:1}
    elif [[ $quote && $c == "$quote" ]]; then quote=
    elif [[ -z $quote && $c == ["'\""] ]]; then quote=$c
    else meant+=$c
    fi
  done
}

# Offers what is in `found`, as words that mean it. What stands before $2 in the word stays where it is.
_weir_offer() {
  local kept=$1 name
  for name in "${found[@]}"; do
    [[ $name == "$meant"* ]] || continue
    printf -v name %q "$name"
    COMPREPLY+=("${name#"$kept"}")
  done
}

# Completes `meant` as one of $1: a kind, and choices for "choices".
_weir_complete() {
  local kept=$1 kind=$2
  shift 2
  found=()
  case $kind in
    choices) found=("$@") ;;
    elements) mapfile -t found < <("$weir" ${folder:+-C "$folder"} completion elements -- "$meant" 2> /dev/null) ;;
    files) compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$meant"); return ;;
    folders) compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$meant"); return ;;
    *) return ;;
  esac
  _weir_offer "$kept"
}

_weir() {
  local words found kind=() meant path= pending= folder= weir=weir only= count=0 i word
  COMPREPLY=()
  _weir_words
  type -P -- "$1" > /dev/null && weir=$1
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    _weir_meant "${words[i]}"
    word=$meant
    if [[ $pending ]]; then
      [[ $pending == -C ]] && folder=$word
      pending=
    elif [[ $only || $word != -?* ]]; then
      if [[ -z $only ]] && _weir_is_command "${path:+$path }$word"; then path=${path:+$path }$word; else ((++count)); fi
    elif [[ $word == -- ]]; then only=1
    elif [[ $word == -C?* ]]; then folder=${word#-C}
    elif [[ $word != --*=* ]] && _weir_value "$path" "$word"; then pending=$word
    fi
  done
  [[ $folder == '~' || $folder == '~/'* ]] && folder=$HOME${folder#'~'}
  local current=${words[${#words[@]} - 1]}
  local kept=${current%"$2"}
  [[ $kept$2 == "$current" ]] || kept=
  _weir_meant "$current"
  if [[ $pending ]]; then
    _weir_value "$path" "$pending"
    _weir_complete "$kept" "${kind[@]}"
  elif [[ -z $only && $meant == --*=* ]]; then
    local option=${meant%%=*}
    meant=${meant#*=} kept=${kept#"$option"=}
    _weir_value "$path" "$option" && _weir_complete "$kept" "${kind[@]}"
  elif [[ -z $only && $meant == -* ]]; then
    _weir_options "$path"
    _weir_offer "$kept"
  else
    _weir_word "$path" "$count"
    _weir_complete "$kept" "${kind[@]}"
  fi
}

complete -F _weir weir
)--";

std::string words_of(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

std::string kind_of(const ValueHelp& value) {
  if (!value.choices.empty()) return "choices " + words_of(value.choices);
  switch (completes(value)) {
    case Completes::files: return "files";
    case Completes::folders: return "folders";
    case Completes::elements: return "elements";
    case Completes::nothing: break;
  }
  return "text";
}

// A function with a line for each command, and the last one for what is in none of them.
template <class Line>
std::string table(const CompletionTable& all, const char* name, const char* word, Line line,
                  const char* otherwise) {
  auto out = fmt::format("\n{}() {{\n  case {} in\n", name, word);
  for (const auto& command : all.commands()) out += line(command);
  return out + fmt::format("    *) {} ;;\n  esac\n}}\n", otherwise);
}

std::string value_lines(const CompletedCommand& command) {
  std::string out;
  for (const auto* option : command.options) {
    if (!option->value) continue;
    std::vector<std::string> patterns;
    for (const auto& name : option->names) patterns.push_back(shell_word(command.path + "|" + name));
    out += fmt::format("    {}) kind=({}) ;;\n", joined(patterns, "|"), kind_of(*option->value));
  }
  return out;
}

std::string bash_words(const CompletedCommand& command) {
  std::vector<std::string> names;
  for (const auto& one : command.command->commands) names.push_back(one.name());
  if (!names.empty())
    return fmt::format("    {}) kind=(choices {}) ;;\n", shell_word(command.path + "|0"), words_of(names));
  std::string out;
  for (std::size_t i = 0; i < command.command->words.size(); ++i) {
    const auto& word = command.command->words[i];
    const auto pattern =
        word.many ? shell_word(command.path + "|") + "*" : shell_word(fmt::format("{}|{}", command.path, i));
    out += fmt::format("    {}) kind=({}) ;;\n", pattern, kind_of(word.value));
  }
  return out;
}

std::string option_line(const CompletedCommand& command) {
  std::vector<std::string> names;
  for (const auto* option : command.options)
    names.insert(names.end(), option->names.begin(), option->names.end());
  return fmt::format("    {}) found=({}) ;;\n", shell_word(command.path), words_of(names));
}

}  // namespace

std::string bash_completion(const CommandHelp& root) {
  const CompletionTable all(root);
  std::string out = "# Completion of weir for bash, as `weir completion bash` writes it.\n";
  out += table(
      all, "_weir_is_command", "$1",
      [](const CompletedCommand& one) {
        return one.path.empty() ? std::string() : fmt::format("    {}) ;;\n", shell_word(one.path));
      },
      "return 1");
  out += "\n# The kind of value that an option of a command takes; a flag takes none.";
  out += table(all, "_weir_value", "\"$1|$2\"", value_lines, "return 1");
  out += "\n# The kind of the next word of a command.";
  out += table(all, "_weir_word", "\"$1|$2\"", bash_words, "kind=(text)");
  out += table(all, "_weir_options", "$1", option_line, "found=()");
  return out + kScript;
}

}  // namespace weir::cli
