#include "plugins/host/placement_border.h"

#include <fmt/format.h>

namespace weir {

bool PlacementBorder::broke(const char* question, std::string_view what) {
  take(plugin_fault(*library_, question, what).value());
  return false;
}

bool PlacementBorder::not_ok(const char* question) {
  if (status_ != WEIR_BROKEN)
    return broke(question, fmt::format("returned {}, which is no status of this question", status_));
  std::string why = "failed and did not say why";
  if (trouble_) {
    // Says it by complaining, as one that is refused does.
    const auto told = ask(*library_, "trouble", Wants::verdict,
                          [&](const weir_reply* reply) { return trouble_(reply), WEIR_REFUSED; });
    if (told && !told->complaints.front().message.empty()) why = told->complaints.front().message;
  }
  return broke(question, why);
}

}  // namespace weir
