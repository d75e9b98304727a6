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
    if (entry.lack > 0) {
      out.entitled = index;
      out.entitled_lack = entry.lack;
    }
    (entry.is_background ? out.background : out.borrower) = index;
    if (!entry.is_background) out.borrower_rank = entry.load_rank + 1;
  }
  if (entry.counts_for_spread) {
    out.highest = std::max<std::int64_t>(0, entry.lack);
    out.lowest = std::min<std::int64_t>(0, entry.lack);
  }
  return out;
}

// `a` is of those named first and wins a tie. Who wins is as good as random, so nothing here is a branch.
ClassTournament::Winners ClassTournament::merged(const Winners& a, const Winners& b) {
  const bool is_more_entitled = b.entitled_lack > a.entitled_lack;
  const bool is_larger = b.borrower_rank > a.borrower_rank;
  return {.entitled = is_more_entitled ? b.entitled : a.entitled,
          .borrower = is_larger ? b.borrower : a.borrower,
          .background = std::min(a.background, b.background),
          .highest = std::max(a.highest, b.highest),
          .lowest = std::min(a.lowest, b.lowest),
          .entitled_lack = std::max(a.entitled_lack, b.entitled_lack),
          .borrower_rank = std::max(a.borrower_rank, b.borrower_rank)};
}

void ClassTournament::set(std::uint32_t index, const Entry& entry) {
  if (entries_[index] == entry) return;
  entries_[index] = entry;
  auto node = leaves_ + index;
  nodes_[node] = alone(index, entry);
  for (node /= 2; node > 0; node /= 2) {
    const auto winners = merged(nodes_[2 * node], nodes_[2 * node + 1]);
    if (winners == nodes_[node]) return;
    nodes_[node] = winners;
  }
}

}  // namespace weir
