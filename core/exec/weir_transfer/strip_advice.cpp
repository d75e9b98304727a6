#include "core/exec/weir_transfer/strip_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

void StripAdvice::see(const Parts& parts, bool folder) {
  constexpr std::size_t kShown = 3;
  if (parts.empty()) return;
  if (tops_.size() < kShown && !tops_.contains(parts.front())) tops_.emplace(parts.front());
  if (folder) return;
  const auto folders = std::span(parts).first(parts.size() - 1);
  if (!common_) {
    common_.emplace(folders.begin(), folders.end());
    return;
  }
  const auto differ = std::mismatch(common_->begin(), common_->end(), folders.begin(), folders.end()).first;
  common_->erase(differ, common_->end());
}

std::string StripAdvice::nothing_left(const std::string& archive_shown, std::uint32_t strip) const {
  if (tops_.empty()) return fmt::format("the archive '{}' is empty", archive_shown);
  std::vector<std::string> tops;
  for (const auto& top : tops_) tops.push_back(fmt::format("'{}'", shown(top)));
  return fmt::format("strip = {} leaves nothing of the archive '{}': at its top is {}; strip = {} would work",
                     strip, archive_shown, fmt::join(tops, ", "), common_ ? common_->size() : 0);
}

}  // namespace weir::transfer
