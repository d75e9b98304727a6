// What a log says of a failure: the first line that looks like an error, and its end. Lines are filtered for
// terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

struct LogExcerpt {
  std::string first_error;     // empty: no line looks like one
  std::size_t error_line = 0;  // its number, from 1
  std::vector<std::string> tail;
  std::size_t lines = 0;  // of the log, as far as it was read
  bool counted = true;    // it was read as a whole
  bool all() const { return counted && tail.size() == lines; }
};

// A file that is not there is an empty log. Of a huge one its beginning and its end are read, and nothing
// between.
LogExcerpt read_log_excerpt(const std::string& path, std::size_t tail_lines);

// "a.c:3:5: error: ...", "ld: undefined reference to `f'", "make: *** [all] Error 2"; not "0 errors" or
// "-Werror".
bool looks_like_error(std::string_view line);

}  // namespace weir
