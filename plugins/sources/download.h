// What tar and file have in common: bytes that are pinned by their SHA-256.
#pragma once

#include <weir/source.hpp>

#include "plugins/sources/url.h"

namespace weir::kinds {

inline constexpr std::string_view kDownloadSchemes[] = {"https", "http", "file"};

struct Downloaded {
  static void check_ref(std::string_view ref) {
    check_hex(ref, 64, "a SHA-256: 64 digits, 0 to 9 and a to f");
  }
  static Steps plan_track(const SourceRequest& request) {
    return Steps().download(request.url, "source/" + request.name + ".track");
  }
  static std::string parse_track(const TrackAnswer& answer) { return answer.sha256; }
};

}  // namespace weir::kinds
