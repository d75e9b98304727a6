#include "core/cli/usage_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/project/diagnostic.h"

namespace weir::cli {

namespace {

// A list that is longer is no hint any more.
constexpr std::size_t kListed = 10;

using Words = std::vector<std::string_view>;

tl::unexpected<Error> wrong(const CommandHelp& command, std::string message, std::string hint = {}) {
  auto remedy = fmt::format("see {} --help", full_name(command));
  if (!hint.empty()) remedy = hint + (hint.back() == '?' ? " " : "; ") + remedy;
  return fail(Reason::usage, std::move(message), std::move(remedy));
}

// A few letters off, or the begin of only one of them.
std::string near(std::string_view word, const Words& candidates) {
  auto mistyped = suggestion(word, candidates);
  if (!mistyped.empty()) return mistyped;
  const auto begins = [&](std::string_view candidate) { return candidate.starts_with(word); };
  constexpr std::size_t kEnough = 3;
  const bool only_one =
      word.size() >= kEnough && std::count_if(candidates.begin(), candidates.end(), begins) == 1;
  return only_one ? fmt::format("did you mean {}?",
                                in_quotes(*std::find_if(candidates.begin(), candidates.end(), begins)))
                  : std::string();
}

// "there is no" of weir itself, which every message begins with; "weir cache has no" of others.
std::string has_no(const CommandHelp& command) {
  return command.path.size() == 1 ? "there is no" : full_name(command) + " has no";
}

std::vector<std::string> listed_names(const CommandHelp& parent) {
  std::vector<std::string> names;
  for (const auto& command : parent.commands)
    if (command.listed()) names.push_back(command.name());
  return names;
}

tl::unexpected<Error> not_accepted(const CommandHelp& command, std::string_view name, const ValueHelp& value,
                                   std::string_view text) {
  return wrong(command, fmt::format("{} cannot be {}: it takes {}", name, in_quotes(text), accepted(value)),
               near(text, Words(value.choices.begin(), value.choices.end())));
}

}  // namespace

bool is_accepted(const ValueHelp& value, std::string_view text) {
  if (value.choices.empty() && !value.range) return true;
  if (std::find(value.choices.begin(), value.choices.end(), text) != value.choices.end()) return true;
  if (!value.range) return false;
  std::uint64_t number = 0;
  const auto* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last && number >= value.range->least && number <= value.range->most;
}

tl::unexpected<Error> unknown_command(const CommandHelp& parent, std::string_view word) {
  const auto names = listed_names(parent);
  const auto meant = near(word, Words(names.begin(), names.end()));
  // `did you mean "build"?`, as it has to be written.
  std::string hint;
  if (!meant.empty())
    hint = meant.substr(0, meant.find('"') + 1) + full_name(parent) + " " + meant.substr(meant.find('"') + 1);
  else if (names.size() <= kListed) hint = "it can be " + choices_text(names);
  return wrong(parent, fmt::format("{} command {}", has_no(parent), in_quotes(word)), std::move(hint));
}

tl::unexpected<Error> unknown_option(const Lineage& commands, std::string_view word) {
  Words names;
  for (const auto* command : commands)
    for (const auto& option : command->options)
      for (const auto& name : option.names)
        if (name.size() > 2) names.push_back(name);
  // Every letter is near to every other.
  return wrong(*commands.back(), fmt::format("{} option {}", has_no(*commands.back()), in_quotes(word)),
               word.size() > 2 ? near(word, names) : std::string());
}

tl::unexpected<Error> missing_command(const CommandHelp& parent) {
  return wrong(parent,
               fmt::format("{} needs a command: {}", full_name(parent), choices_text(listed_names(parent))));
}

tl::unexpected<Error> missing_word(const CommandHelp& command, const WordHelp& word) {
  return wrong(command, fmt::format("{} needs {}: {}", full_name(command), word.value.name, word.text),
               "usage: " + usage_of(command));
}

tl::unexpected<Error> too_many_words(const CommandHelp& command, std::string_view word) {
  return wrong(command, fmt::format("{} is one word too many for {}", in_quotes(word), full_name(command)),
               "usage: " + usage_of(command));
}

tl::unexpected<Error> wrong_word(const CommandHelp& command, const WordHelp& word, std::string_view text) {
  return not_accepted(command, word.value.name, word.value, text);
}

tl::unexpected<Error> missing_value(const CommandHelp& command, const OptionHelp& option,
                                    std::string_view name) {
  const auto possible = accepted(*option.value);
  return wrong(command,
               fmt::format("{} needs a value: {}", name,
                           possible.empty() ? fmt::format("{} {}", name, option.value->name) : possible));
}

tl::unexpected<Error> wrong_value(const CommandHelp& command, const OptionHelp& option, std::string_view name,
                                  std::string_view text) {
  return not_accepted(command, name, *option.value, text);
}

tl::unexpected<Error> takes_no_value(const CommandHelp& command, std::string_view name) {
  return wrong(command, fmt::format("{} takes no value", name),
               fmt::format("write {} alone, or leave it out", name));
}

tl::unexpected<Error> given_twice(const CommandHelp& command, std::string_view name) {
  return wrong(command, fmt::format("{} is given twice", name), "it takes one value");
}

tl::unexpected<Error> not_together(const CommandHelp& command, std::string_view one, std::string_view other) {
  return wrong(command, fmt::format("{} and {} do not go together", one, other));
}

}  // namespace weir::cli
