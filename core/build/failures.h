// Which builds failed, by their resolved key: the same commands on the same inputs would fail again. One
// small file each, so that two weirs do not disturb each other. Any thread.
#pragma once

#include <string>

#include "core/store/digest.h"

namespace weir {

class Failures {
 public:
  explicit Failures(std::string folder) : folder_(std::move(folder)) {}
  bool has(const store::Key& key) const;
  // What cannot be written is not remembered, and tried again.
  void remember(const store::Key& key, const std::string& element) const;
  void forget(const store::Key& key) const;

 private:
  std::string folder_;
};

}  // namespace weir
