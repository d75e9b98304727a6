#include "plugins/sources/download.h"

#include "plugins/sources/url.h"

namespace weir {

std::string DownloadedKind::wrong_ref(std::string_view ref) const { return wrong_hex(ref, 64, "a SHA-256: 64 digits, 0 to 9 and a to f"); }

std::vector<Step> DownloadedKind::plan_track(std::string_view, const SourceRequest& request) const {
  return {DownloadStep{std::string(request.url), "source/" + std::string(request.name) + ".track", {}}};
}

Result<std::string> DownloadedKind::parse_track(std::string_view, const TrackAnswer& answer) const { return answer.sha256; }

}  // namespace weir
