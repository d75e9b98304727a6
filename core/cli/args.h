// How a command declares what it can be given: its options, its words, and the variables they are bound to.
//
//   command.add_word("targets", &options.targets, "TARGET", "elements, by name or glob");
//   command.add_option("-o,--output", &options.output, "FILE", "write to this file");
//   command.add_option("--deps", &options.deps, "WHICH", "which come along").one_of({"none", "all"});
//   command.add_flag("--json", &options.json, "as JSON, for programs");
//
// Declarations become plain data by help() (core/cli/command_help.h). The command line is read and checked by
// that data (core/cli/read_words.h), and assign() then sets the variables. A variable keeps the value that it
// has if nothing is given for it; it has to live as long as the command. A declaration that contradicts
// another one is a bug, and an assertion ends weir.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/cli/command_help.h"

namespace weir::cli {

struct ReadWords;

// The variable of an option or a word. A flag sets a bool to true; a list takes all words that are left,
// behind those that it holds already; a number needs a range.
using Bound =
    std::variant<bool*, std::string*, std::optional<std::string>*, std::uint64_t*, std::vector<std::string>*>;

// One option, or one word.
class Argument {
 public:
  Argument(OptionHelp help, Bound bound);
  // All that is taken; a range beside it is taken, too.
  Argument& one_of(std::vector<std::string> choices);
  // A whole number from `least` to `most`.
  Argument& in_range(std::uint64_t least, std::uint64_t most);
  // The help says which value the variable has now. Of an option.
  Argument& show_default();
  // Of a word.
  Argument& required();

 private:
  friend class Command;
  const OptionHelp& help() const;
  WordHelp word_help() const;
  bool is_option() const;
  bool takes_many() const;
  void assign(const std::string& value);

  OptionHelp help_;  // of a word its only name is the key
  Bound bound_;
  bool required_ = false;
};

class Command {
 public:
  Command(std::string name, std::string what);
  Command(const Command&) = delete;  // commands below it know where it is
  Command& operator=(const Command&) = delete;

  // `names`: "-q,--quiet", short ones first. `value`: how help calls what it takes. What is returned stays
  // where it is.
  Argument& add_option(std::string_view names, Bound bound, std::string value, std::string text);
  // Of the words in their order; `key` is the command's own name for it.
  Argument& add_word(std::string key, Bound bound, std::string value, std::string text);
  // Without a variable it is only for those who read the words: --help.
  void add_flag(std::string_view names, bool* bound, std::string text);
  // Neither of the two options together with the other.
  void exclude(std::string_view one, std::string_view other);
  // A command below this one, listed under `group`.
  Command& add_command(std::string name, std::string what, std::string group);

  // What there is to say beside the one line: paragraphs with an empty line between two, and lines of
  // examples, which are shown as they are.
  void explain(std::string details, std::string examples);
  void hide();         // help does not list it
  void runs_others();  // what stands behind "--" is a command of somebody else

  const Command& root() const { return parent_ ? parent_->root() : *this; }
  CommandHelp help() const;  // with all commands below it
  // Sets the variables to what was read by help(). Of the root.
  void assign(const ReadWords& read);

 private:
  Argument& add(OptionHelp help, Bound bound);
  Argument* find_option(std::string_view name);
  Command* find_command(std::string_view name);
  Command& at(const CommandHelp& help);

  Command* parent_ = nullptr;
  CommandHelp own_;  // without options, words and commands
  std::list<Argument> options_, words_;
  std::list<Command> commands_;
};

}  // namespace weir::cli
