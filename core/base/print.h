// Words for people. On a terminal they hold no control characters and no escape sequences but those of
// colours, whatever jobs, servers or files put into them; files and pipes get every byte as it is. Who reads
// them may have gone (`weir build 2>&1 | head -1`), or the disk may be full: that never ends a run, so
// nothing is thrown here. Whether standard output arrived is asked once, at the end of the program.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace weir {

void write_text(std::FILE* out, std::string_view text);
// For escape sequences of weir's own.
void write_unfiltered(std::FILE* out, std::string_view text);
// Text as a terminal gets it.
std::string for_terminal(std::string_view text);

template <class... Args>
void print(std::FILE* out, fmt::format_string<Args...> format, Args&&... args) {
  write_text(out, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  write_text(stdout, fmt::format(format, std::forward<Args>(args)...));
}

// Writes out what is buffered. 0, or the errno of the first write to standard output that failed.
int finish_output();

}  // namespace weir
