// Why a pull or push came to nothing, on its way up. `What` is the enum of either, with `trouble` and
// `cancelled` among others.
#pragma once

#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/remote/remote_line.h"

namespace weir {

template <class What>
struct Halt {
  What what = What::trouble;
  std::string reason = {};
};

template <class What>
tl::unexpected<Halt<What>> halt(What what, std::string reason = {}) {
  return tl::unexpected(Halt<What>{what, std::move(reason)});
}
// The machine's own fault.
template <class What>
tl::unexpected<Halt<What>> halt(const Error& error) {
  return halt(What::trouble, to_text(error));
}
// What an operation that was not done means for its job.
template <class What>
tl::unexpected<Halt<What>> halt(const RemoteLine& line, const RemoteEnd& end, const std::stop_token& stop) {
  if (stop.stop_requested()) return halt(What::cancelled);
  auto reason = line.why_not();
  return halt(What::trouble, reason.empty() ? end.message : reason);
}

}  // namespace weir
