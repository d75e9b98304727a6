// The end of a log, as text for a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace weir {

struct LogTail {
  std::string text;  // whole lines where there are any, without escape sequences; at most so many bytes as
                     // were asked for
  std::uint64_t bytes = 0;  // of the whole log
  bool all = true;
};

// A file that is not there is an empty log.
LogTail read_log_tail(const std::string& path, std::size_t most);

}  // namespace weir
