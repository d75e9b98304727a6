// What tar and file have in common: bytes that are pinned by their SHA-256.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/kind.h"

namespace weir {

class DownloadedKind : public SourceKind {
 public:
  std::string wrong_ref(std::string_view ref) const final;
  std::vector<Step> plan_track(std::string_view resolved, const SourceRequest& request) const final;
  Result<std::string> parse_track(std::string_view resolved, const TrackAnswer& answer) const final;
};

inline constexpr std::string_view kDownloadSchemes[] = {"https", "http", "file"};

}  // namespace weir
