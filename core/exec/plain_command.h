// Commands that need no shell. What users write is run by `sh -e -c TEXT`; if the text is one command of
// plain words, the shell would only look up the program and start it: a process more, and a start-up of half
// a millisecond (sh -c /bin/true takes twice what /bin/true does). Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weir {

// The words of such a command; nothing if there is anything in it that a shell would understand otherwise.
// Who runs them has to go back to `argv` if there is no such program: shells have commands of their own that
// nobody knows here.
std::optional<std::vector<std::string>> plain_words(std::span<const std::string> argv);

}  // namespace weir
