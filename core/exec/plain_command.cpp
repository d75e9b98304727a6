#include "core/exec/plain_command.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace weir {
namespace {

// Words that a shell does something with itself, although there may be a program of that name which does
// otherwise. Not `true` and `false`: those are the same everywhere.
constexpr auto kOfShell = std::to_array<std::string_view>(
    {".",        ":",       "alias",   "bg",      "bind",     "break",    "builtin", "caller",   "case",
     "cd",       "chdir",   "command", "compgen", "complete", "continue", "coproc",  "declare",  "dirs",
     "disown",   "do",      "done",    "echo",    "elif",     "else",     "enable",  "esac",     "eval",
     "exec",     "exit",    "export",  "fc",      "fg",       "fi",       "for",     "function", "getopts",
     "hash",     "help",    "history", "if",      "in",       "jobs",     "kill",    "let",      "local",
     "logout",   "mapfile", "newgrp",  "popd",    "printf",   "pushd",    "pwd",     "read",     "readarray",
     "readonly", "return",  "select",  "set",     "shift",    "shopt",    "source",  "suspend",  "test",
     "then",     "time",    "times",   "trap",    "type",     "typeset",  "ulimit",  "umask",    "unalias",
     "unset",    "until",   "wait",    "while"});
static_assert(std::ranges::is_sorted(kOfShell));

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./,:+@%=").find(c) != std::string_view::npos;
}

bool is_program(std::string_view word) {
  return word.find('=') == word.npos && !std::ranges::binary_search(kOfShell, word);
}

}  // namespace

std::optional<std::vector<std::string>> plain_words(std::span<const std::string> argv) {
  if (argv.size() != 4 || argv[0] != "sh" || argv[1] != "-e" || argv[2] != "-c") return std::nullopt;
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : argv[3]) {
    if (c == ' ') {
      inside = false;
      continue;
    }
    if (!is_plain(c)) return std::nullopt;
    if (!inside) words.emplace_back();
    words.back().push_back(c);
    inside = true;
  }
  if (words.empty() || !is_program(words.front())) return std::nullopt;
  return words;
}

}  // namespace weir
