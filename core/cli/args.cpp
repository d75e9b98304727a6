#include "core/cli/args.h"

#include <algorithm>
#include <charconv>

#include "core/base/assert.h"
#include "core/cli/read_words.h"

namespace weir::cli {

namespace {

// "-q,--quiet"
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t start = 0, end = 0; end != text.npos; start = end + 1) {
    end = text.find(',', start);
    names.emplace_back(text.substr(start, end - start));
    WEIR_ASSERT(names.back().size() > 1 && names.back().front() == '-', "option {}", text);
  }
  return names;
}

struct Assign {
  const std::string& value;
  void operator()(bool* bound) const {
    if (bound) *bound = true;
  }
  void operator()(std::string* bound) const { *bound = value; }
  void operator()(std::optional<std::string>* bound) const { *bound = value; }
  void operator()(std::vector<std::string>* bound) const { bound->push_back(value); }
  // In decimal, as the range was checked: 010 is ten.
  void operator()(std::uint64_t* bound) const {
    const auto* last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data(), last, *bound);
    WEIR_ASSERT(error == std::errc() && end == last, "number {}", value);
  }
};

}  // namespace

Argument::Argument(OptionHelp help, Bound bound) : help_(std::move(help)), bound_(bound) {}

Argument& Argument::one_of(std::vector<std::string> choices) {
  help_.value->choices = std::move(choices);
  return *this;
}

Argument& Argument::in_range(std::uint64_t least, std::uint64_t most) {
  help_.value->range = {least, most};
  return *this;
}

Argument& Argument::show_default() {
  WEIR_ASSERT(is_option(), "{} is no option", help_.name());
  if (const auto* number = std::get_if<std::uint64_t*>(&bound_)) help_.usual = std::to_string(**number);
  if (const auto* text = std::get_if<std::string*>(&bound_)) help_.usual = **text;
  return *this;
}

Argument& Argument::required() {
  WEIR_ASSERT(!is_option(), "{} is no word", help_.name());
  required_ = true;
  return *this;
}

const OptionHelp& Argument::help() const {
  const bool is_number = std::holds_alternative<std::uint64_t*>(bound_);
  WEIR_ASSERT(!is_number || (help_.value->range && help_.value->choices.empty()), "{} needs a range",
              help_.name());
  return help_;
}

WordHelp Argument::word_help() const {
  const auto& word = help();
  return {word.name(), *word.value, word.text, required_, takes_many()};
}

bool Argument::is_option() const { return help_.name().starts_with('-'); }

bool Argument::takes_many() const { return std::holds_alternative<std::vector<std::string>*>(bound_); }

void Argument::assign(const std::string& value) { std::visit(Assign{value}, bound_); }

Command::Command(std::string name, std::string what) {
  own_.path = {std::move(name)};
  own_.what = std::move(what);
}

Argument& Command::add(OptionHelp help, Bound bound) {
  for (const auto& name : help.names)
    WEIR_ASSERT(!find_option(name), "{} of {} is declared twice", name, full_name(own_));
  return options_.emplace_back(std::move(help), bound);
}

Argument& Command::add_option(std::string_view names, Bound bound, std::string value, std::string text) {
  WEIR_ASSERT(!std::holds_alternative<bool*>(bound), "{} takes a value", names);
  WEIR_ASSERT(!std::holds_alternative<std::vector<std::string>*>(bound), "{} takes one value", names);
  return add({split_names(names), ValueHelp{std::move(value), {}, {}}, std::move(text), {}, {}}, bound);
}

Argument& Command::add_word(std::string key, Bound bound, std::string value, std::string text) {
  const auto same = [&](const Argument& word) { return word.help_.name() == key; };
  WEIR_ASSERT(std::none_of(words_.begin(), words_.end(), same), "{} is declared twice", key);
  WEIR_ASSERT(!std::holds_alternative<bool*>(bound), "{} takes a value", key);
  WEIR_ASSERT(words_.empty() || !words_.back().takes_many(), "{} is never reached", key);
  return words_.emplace_back(
      OptionHelp{{std::move(key)}, ValueHelp{std::move(value), {}, {}}, std::move(text), {}, {}}, bound);
}

void Command::add_flag(std::string_view names, bool* bound, std::string text) {
  add({split_names(names), std::nullopt, std::move(text), {}, {}}, bound);
}

void Command::exclude(std::string_view one, std::string_view other) {
  auto* first = find_option(one);
  auto* second = find_option(other);
  WEIR_ASSERT(first && second && first != second, "{} and {} of {}", one, other, full_name(own_));
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    names.insert(std::upper_bound(names.begin(), names.end(), name), name);
  };
  add(first->help_.excludes, second->help_.name());
  add(second->help_.excludes, first->help_.name());
}

Command& Command::add_command(std::string name, std::string what, std::string group) {
  WEIR_ASSERT(!find_command(name), "{} of {} is declared twice", name, full_name(own_));
  auto& command = commands_.emplace_back(std::move(name), std::move(what));
  command.parent_ = this;
  command.own_.path.insert(command.own_.path.begin(), own_.path.begin(), own_.path.end());
  command.own_.group = std::move(group);
  return command;
}

void Command::explain(std::string details, std::string examples) {
  own_.details = std::move(details);
  own_.examples = std::move(examples);
}

void Command::hide() { own_.group.clear(); }

void Command::runs_others() { own_.runs_others = true; }

CommandHelp Command::help() const {
  auto help = own_;
  for (const auto& option : options_) help.options.push_back(option.help());
  for (const auto& word : words_) help.words.push_back(word.word_help());
  for (const auto& command : commands_) help.commands.push_back(command.help());
  return help;
}

Argument* Command::find_option(std::string_view name) {
  for (auto& option : options_)
    if (std::find(option.help_.names.begin(), option.help_.names.end(), name) != option.help_.names.end())
      return &option;
  return nullptr;
}

Command* Command::find_command(std::string_view name) {
  for (auto& command : commands_)
    if (command.own_.name() == name) return &command;
  return nullptr;
}

Command& Command::at(const CommandHelp& help) {
  auto* command = this;
  for (std::size_t i = own_.path.size(); command && i < help.path.size(); ++i)
    command = command->find_command(help.path[i]);
  WEIR_ASSERT(command, "there is no {}", full_name(help));
  return *command;
}

void Command::assign(const ReadWords& read) {
  for (const auto& given : read.options)
    at(*given.command).find_option(given.option->name())->assign(given.value);
  auto& words = at(read.command()).words_;
  for (const auto& given : read.words)
    for (auto& word : words)
      if (word.help_.name() == given.word->key) word.assign(given.value);
}

}  // namespace weir::cli
