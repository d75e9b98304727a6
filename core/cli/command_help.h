// What can be written behind `weir`, as plain data: commands, options, words, and what may stand for each.
// The command line is read by it, and --help, the manual pages and the completion of three shells are written
// from it, so none of them can know less than another. It comes from the commands' own declarations
// (core/cli/args.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

struct NumberRange {
  std::uint64_t least = 0, most = 0;
};

// The value of an option, or a word.
struct ValueHelp {
  std::string name;                  // "FILE"
  std::vector<std::string> choices;  // all that is taken; empty: anything
  std::optional<NumberRange> range;  // a whole number is taken, too
};

struct OptionHelp {
  std::vector<std::string> names;  // "-q", "--quiet": short ones first
  std::optional<ValueHelp> value;  // none: a flag
  std::string text;
  std::string usual;                  // the value without the option, if that is worth saying
  std::vector<std::string> excludes;  // options that do not go together with it, by the last of their names
  const std::string& name() const { return names.back(); }
};

struct WordHelp {
  std::string key;  // "targets": what the command calls it
  ValueHelp value;
  std::string text;
  bool required = false;
  bool many = false;  // all words from here on
};

struct CommandHelp {
  std::vector<std::string> path;  // "weir", "cache", "stat"
  std::string group;              // under which its parent lists it; empty: it is not listed
  std::string what;               // one line
  std::string details;            // paragraphs, with an empty line between two
  std::string examples;           // lines as they are shown
  std::vector<OptionHelp> options;
  std::vector<WordHelp> words;
  std::vector<CommandHelp> commands;
  bool runs_others = false;  // what stands behind "--" is a command of somebody else, never read as options

  const std::string& name() const { return path.back(); }
  bool listed() const { return !group.empty(); }
  const CommandHelp* command(std::string_view name) const;
  const OptionHelp* option(std::string_view name) const;  // its own: "-q" or "--quiet"
};

std::string joined(const std::vector<std::string>& words, std::string_view between = " ");
std::vector<std::string> paragraphs(const std::string& text);       // between empty lines
std::string full_name(const CommandHelp& command);                  // "weir cache stat"
std::string choices_text(const std::vector<std::string>& choices);  // "a, b or c"

// "[TARGET...]", "ELEMENT": as in a line of usage.
std::string usage_of(const WordHelp& word);
// "-C DIR", "-q, --quiet"
std::string usage_of(const OptionHelp& option);
// "weir build [OPTION...] [TARGET...]"
std::string usage_of(const CommandHelp& command);
// "auto, always or never", "a whole number from 1 to 9": what a value may be; empty if it may be anything.
std::string accepted(const ValueHelp& value);
// The text with what is left to say: the choices if it does not name them, and the usual value.
std::string full_text(const OptionHelp& option);
std::string full_text(const WordHelp& word);

// The command with its parents, outermost first; empty if there is none of that name.
using Lineage = std::vector<const CommandHelp*>;
Lineage lineage(const CommandHelp& root, const std::vector<std::string>& names);
// The option of the innermost of them that has it: those of parents may stand behind the command, too.
const OptionHelp* find_option(const Lineage& commands, std::string_view name);

// What a value may be completed with, by its name.
enum class Completes : std::uint8_t { nothing, files, folders, elements };
Completes completes(const ValueHelp& value);

}  // namespace weir::cli
