#include "core/cli/read_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cli/usage_errors.h"

namespace weir::cli {

namespace {

class Reader {
 public:
  Reader(const CommandHelp& root, const std::vector<std::string>& words) : words_(words) {
    read_.commands = {&root};
  }

  Result<ReadWords> read() {
    while (next_ < words_.size())
      if (auto good = one(words_[next_++]); !good) return tl::unexpected(good.error());
    if (read_.has("--help") || read_.has("--version")) return std::move(read_);
    if (auto good = complete(); !good) return tl::unexpected(good.error());
    return std::move(read_);
  }

 private:
  Status one(const std::string& word) {
    if (only_words_ || word.size() < 2 || word.front() != '-') return plain(word);
    if (word == "--") return end_of_options();
    return word[1] == '-' ? long_option(word) : short_options(word);
  }

  Status end_of_options() {
    if (!read_.command().runs_others) {
      only_words_ = true;
      return {};
    }
    read_.behind.assign(words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end());
    next_ = words_.size();
    return {};
  }

  Status plain(const std::string& word) {
    const auto& command = read_.command();
    if (!command.commands.empty()) {
      const auto* named = command.command(word);
      if (!named) return unknown_command(command, word);
      read_.commands.push_back(named);
      return {};
    }
    // Each word once, and all that are left for one that takes many.
    const auto taken = std::min(read_.words.size(), command.words.size());
    const auto* next = taken < command.words.size() ? &command.words[taken] : nullptr;
    if (taken > 0 && command.words[taken - 1].many) next = &command.words[taken - 1];
    if (!next) return too_many_words(command, word);
    if (!is_accepted(next->value, word)) return wrong_word(command, *next, word);
    read_.words.push_back({next, word});
    return {};
  }

  Status long_option(const std::string& word) {
    const auto end = word.find('=');
    const auto name = word.substr(0, end);
    const auto* option = find_option(read_.commands, name);
    if (!option) return unknown_option(read_.commands, name);
    if (end == word.npos) return option->value ? with_next(*option, name) : add(*option, name, {});
    if (!option->value) return takes_no_value(read_.command(), name);
    return add(*option, name, word.substr(end + 1));
  }

  // "-qv", "-j4", "-j 4"
  Status short_options(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto name = std::string("-") + word[i];
      const auto* option = find_option(read_.commands, name);
      if (!option) return unknown_option(read_.commands, i == 1 ? word : name);
      if (option->value)
        return i + 1 < word.size() ? add(*option, name, word.substr(i + 1)) : with_next(*option, name);
      if (auto added = add(*option, name, {}); !added) return added;
    }
    return {};
  }

  // A value that is the name of an option has rather been forgotten; "--events=--ci" means it.
  Status with_next(const OptionHelp& option, const std::string& name) {
    if (next_ == words_.size() || find_option(read_.commands, words_[next_]))
      return missing_value(read_.command(), option, name);
    return add(option, name, words_[next_++]);
  }

  Status add(const OptionHelp& option, const std::string& name, std::string value) {
    if (option.value && value.empty()) return missing_value(read_.command(), option, name);
    if (option.value && !is_accepted(*option.value, value))
      return wrong_value(read_.command(), option, name, value);
    const auto is_same = [&](const GivenOption& given) { return given.option == &option; };
    if (std::any_of(read_.options.begin(), read_.options.end(), is_same))
      return option.value ? given_twice(read_.command(), name) : Status();
    const auto has = [&](const CommandHelp* command) { return command->option(name) == &option; };
    read_.options.push_back(
        {*std::find_if(read_.commands.begin(), read_.commands.end(), has), &option, std::move(value)});
    return {};
  }

  Status complete() const {
    const auto& command = read_.command();
    if (!command.commands.empty() && read_.commands.size() > 1) return missing_command(command);
    for (const auto& given : read_.options)
      for (const auto& other : given.option->excludes)
        if (read_.has(other)) return not_together(command, given.option->name(), other);
    for (std::size_t i = read_.words.size(); i < command.words.size(); ++i)
      if (command.words[i].required) return missing_word(command, command.words[i]);
    return {};
  }

  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  bool only_words_ = false;
  ReadWords read_;
};

}  // namespace

bool ReadWords::has(std::string_view name) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const GivenOption& given) { return given.command->option(name) == given.option; });
}

Result<ReadWords> read_words(const CommandHelp& root, const std::vector<std::string>& words) {
  return Reader(root, words).read();
}

}  // namespace weir::cli
