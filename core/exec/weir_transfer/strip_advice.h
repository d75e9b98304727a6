// Watches the names of an archive, so that a `strip` that leaves nothing can be answered with one that works.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/exec/weir_transfer/entry_name.h"

namespace weir::transfer {

class StripAdvice {
 public:
  void see(const Parts& parts, bool folder);
  std::string nothing_left(const std::string& archive_shown, std::uint32_t strip) const;

 private:
  std::set<std::string, std::less<>> tops_;         // some of them
  std::optional<std::vector<std::string>> common_;  // the folders that all files are in
};

}  // namespace weir::transfer
