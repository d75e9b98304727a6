#include "core/model/kind.h"

#include <fmt/format.h>

namespace weir {

Result<std::string> SourceKind::parse_track(std::string_view, const TrackAnswer&) const {
  return fail(Reason::bug, fmt::format("sources of kind {} are not tracked", name()));
}

}  // namespace weir
