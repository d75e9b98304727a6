// What is said of a command line that is wrong: what it was, what was probably meant, and where to read more.
#pragma once

#include "core/base/result.h"
#include "core/cli/command_help.h"

namespace weir::cli {

bool is_accepted(const ValueHelp& value, std::string_view text);

tl::unexpected<Error> unknown_command(const CommandHelp& parent, std::string_view word);
tl::unexpected<Error> unknown_option(const Lineage& commands, std::string_view word);
tl::unexpected<Error> missing_command(const CommandHelp& parent);
tl::unexpected<Error> missing_word(const CommandHelp& command, const WordHelp& word);
tl::unexpected<Error> too_many_words(const CommandHelp& command, std::string_view word);
tl::unexpected<Error> wrong_word(const CommandHelp& command, const WordHelp& word, std::string_view text);
// `name` of the option as the user wrote it.
tl::unexpected<Error> missing_value(const CommandHelp& command, const OptionHelp& option,
                                    std::string_view name);
tl::unexpected<Error> wrong_value(const CommandHelp& command, const OptionHelp& option, std::string_view name,
                                  std::string_view text);
tl::unexpected<Error> takes_no_value(const CommandHelp& command, std::string_view name);
tl::unexpected<Error> given_twice(const CommandHelp& command, std::string_view name);
tl::unexpected<Error> not_together(const CommandHelp& command, std::string_view one, std::string_view other);

}  // namespace weir::cli
