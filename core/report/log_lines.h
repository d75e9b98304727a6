// The lines of a log of any size, in little memory: a line without an end comes in pieces.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace weir {

class LogLines {
 public:
  static constexpr std::size_t kPiece = 64 * 1024;
  static constexpr auto kEnd = std::numeric_limits<std::uint64_t>::max();

  // The bytes from `from` to before `to`. A file that is not there has no lines.
  explicit LogLines(const std::string& path, std::uint64_t from = 0, std::uint64_t to = kEnd);

  // False: there are no more.
  bool next();
  // Without its newline, at most kPiece bytes, as they are.
  const std::string& line() const { return line_; }
  // It goes on with the line that was there before.
  bool continues() const { return continues_; }

 private:
  bool fill();
  void keep_character_whole();

  std::ifstream file_;
  std::uint64_t left_;
  std::string buffer_, line_, cut_;
  std::size_t at_ = 0;
  bool continues_ = false, whole_ = true;
};

// The same for people: without escape sequences and control characters; what was written over is there as
// well, a line each.
void for_each_clean_line(LogLines lines, const std::function<void(std::string_view)>& call);

}  // namespace weir
