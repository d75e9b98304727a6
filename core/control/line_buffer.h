// Bytes of a client as they come, and the lines that they make. Holds no more than one line of the longest
// kind and what was read with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::control {

class LineBuffer {
 public:
  explicit LineBuffer(std::size_t longest) : longest_(longest) {}

  void append(std::string_view bytes) { bytes_.append(bytes); }
  // The next whole line, without its end.
  std::optional<std::string> take() {
    const auto end = bytes_.find('\n', searched_);
    searched_ = bytes_.size();
    if (end == bytes_.npos || end > longest_) return std::nullopt;
    auto line = bytes_.substr(0, end);
    bytes_.erase(0, end + 1);
    searched_ = 0;
    return line;
  }
  // To be asked when there was no line to take.
  bool too_long() const { return bytes_.size() > longest_; }
  bool has_begun() const { return !bytes_.empty(); }

 private:
  std::size_t longest_;
  std::string bytes_;
  std::size_t searched_ = 0;  // no end of a line before it
};

}  // namespace weir::control
