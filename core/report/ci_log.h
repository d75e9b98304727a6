// The log of a CI system as weir writes it: every line of text begins with the time of day and holds no
// control character; what progresses is folded where that is possible, all else never.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "core/report/ci_host.h"

namespace weir {

class CiLog {
 public:
  CiLog(std::FILE* out, CiHost& host) : out_(out), host_(host) {}

  void set_time(WallTime now);
  void progress(std::string_view text);
  void tell(std::string_view text);
  // What a job wrote, one line: it can never be taken for one of weir's.
  void quote(std::string_view line);
  // Whole lines that the host made.
  void marks(std::string_view lines);
  // Ends what is folded and guarded.
  void close();
  // Writes what there is; false if that is nothing.
  bool flush();

 private:
  void fold(bool wanted);
  void text(bool wanted);
  void lines(std::string_view text);

  std::FILE* out_;
  CiHost& host_;
  WallTime now_{};
  std::string stamp_, buffer_;
  bool folded_ = false, text_ = false;
};

}  // namespace weir
