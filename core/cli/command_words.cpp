#include "core/cli/command_words.h"

#include <string_view>

namespace weir::cli {

namespace {

constexpr std::string_view kRunsOthers = "shell";

// The first word that is no option; -C and --color have values.
std::string_view command_of(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") return {};
    if (word == "-C" || word == "--color") ++i;
    else if (!word.starts_with('-')) return word;
  }
  return {};
}

}  // namespace

CommandWords split_command_words(int argc, char** argv) {
  if (command_of(argc, argv) != kRunsOthers) return {argc, {}};
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--") return {i, {argv + i + 1, argv + argc}};
  return {argc, {}};
}

}  // namespace weir::cli
