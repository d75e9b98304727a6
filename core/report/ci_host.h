// What the log of a CI system understands beside lines of text: parts that are folded, and notes that it
// shows elsewhere. Each gives whole lines, or nothing.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/report/run_failures.h"

namespace weir {

using WallTime = std::chrono::system_clock::time_point;

class CiHost {
 public:
  virtual ~CiHost() = default;
  // Around what people unfold only if they want to.
  virtual std::string fold_begin(WallTime) { return {}; }
  virtual std::string fold_end(WallTime) { return {}; }
  // Around text that is to be shown and nothing else, whatever it holds.
  virtual std::string text_begin() { return {}; }
  virtual std::string text_end() { return {}; }
  // With the path of its log; empty if it has none.
  virtual std::string failure(const FailedElement&, const std::string& /*log*/) { return {}; }
  virtual std::string warning(std::string_view) { return {}; }
};

}  // namespace weir
