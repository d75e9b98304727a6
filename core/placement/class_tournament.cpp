#include "core/placement/class_tournament.h"

#include <algorithm>
#include <bit>

namespace weir {

void ClassTournament::resize(std::size_t classes) {
  leaves_ = std::bit_ceil(std::max<std::size_t>(classes, 1));
  nodes_.assign(2 * leaves_, {});
  entries_.assign(classes, {});
}

ClassTournament::Winners ClassTournament::alone(std::uint32_t index, const Entry& entry) {
  Winners out;
  if (entry.waits) {
    if (entry.lack > 0) out.entitled = index;
    (entry.is_background ? out.background : out.borrower) = index;
  }
  if (entry.counts_for_spread) {
    out.highest = std::max<std::int64_t>(0, entry.lack);
    out.lowest = std::min<std::int64_t>(0, entry.lack);
  }
  return out;
}

// `a` is of those named first and wins a tie.
ClassTournament::Winners ClassTournament::merged(const Winners& a, const Winners& b) const {
  Winners out = a;
  if (a.entitled == kNobody ||
      (b.entitled != kNobody && entries_[b.entitled].lack > entries_[a.entitled].lack))
    out.entitled = b.entitled;
  if (a.borrower == kNobody ||
      (b.borrower != kNobody && entries_[b.borrower].load_rank > entries_[a.borrower].load_rank))
    out.borrower = b.borrower;
  if (a.background == kNobody) out.background = b.background;
  out.highest = std::max(a.highest, b.highest);
  out.lowest = std::min(a.lowest, b.lowest);
  return out;
}

void ClassTournament::set(std::uint32_t index, const Entry& entry) {
  entries_[index] = entry;
  auto node = leaves_ + index;
  nodes_[node] = alone(index, entry);
  for (node /= 2; node > 0; node /= 2) nodes_[node] = merged(nodes_[2 * node], nodes_[2 * node + 1]);
}

}  // namespace weir
