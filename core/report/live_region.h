// The live region at the bottom of a terminal, as lines: progress, queues, the jobs that run, why the next
// one waits. Pure: a picture of the run and a size give lines; who draws them is the live display.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/run_picture.h"
#include "core/report/styled_line.h"

namespace weir {

struct TerminalSize {
  std::size_t columns = 80, rows = 24;
  bool operator==(const TerminalSize&) const = default;
};

// A line of at most so many columns: what does not fit is cut.
class RegionLine {
 public:
  explicit RegionLine(std::size_t columns) : room_(columns) {}
  RegionLine& add(std::string_view text, Tone tone = Tone::plain);
  std::size_t room() const { return room_; }
  std::size_t width() const { return width_; }
  std::string text() const;     // without colours
  std::string colored() const;  // with them

 private:
  std::vector<StyledLine> parts_;
  std::size_t room_, width_ = 0;
};

// At most a third of the rows, and never the last column: some terminals go to the next line behind it.
std::vector<RegionLine> live_region(const RunPicture& picture, Duration now, TerminalSize size);

}  // namespace weir
