// `weir shell app -- grep -- "[a,b]"`: what stands behind the first "--" of a command that runs others is taken away before
// the command line is parsed. CLI11 would take "[a,b]" for a list of two words.
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

struct CommandWords {
  int parsed = 0;                  // how many words of argv are weir's own
  std::vector<std::string> words;  // those of the command
};

CommandWords split_command_words(int argc, char** argv);

}  // namespace weir::cli
