// What one worker might take: a heap of its holdings by the order of the first job that waits for each. An
// order here is a lower bound. Jobs leave the queues of artifacts without telling all who hold them; whoever
// looks at the top brings it up to date then.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/placement.h"
#include "core/placement/chunked.h"

namespace weir {

// Positions: operator[](holding) gives the holding's place in this heap, kNone if it is not in it.
class OfferHeap {
 public:
  struct Offer {
    std::uint64_t order;
    std::uint32_t holding;
    ResultId artifact;  // of the holding: the top is looked at far more often than anything else of it
  };

  bool empty() const { return offers_.empty(); }
  const Offer& top() const { return offers_.front(); }

  // Puts it in, or raises its chances; never lowers them.
  template <class Positions>
  void offer(const Offer& offer, Positions&& positions) {
    auto at = positions(offer.holding);
    if (at == kNone) {
      at = static_cast<std::uint32_t>(offers_.size());
      offers_.push_back(offer);
    } else if (offers_[at].order <= offer.order) {
      return;
    }
    sift_up(at, offer, positions);
  }
  template <class Positions>
  void correct_top(std::uint64_t order, Positions&& positions) {
    auto top = offers_.front();
    top.order = order;
    sift_down(0, top, positions);
  }
  template <class Positions>
  void remove(std::uint32_t holding, Positions&& positions) {
    const auto at = positions(holding);
    if (at == kNone) return;
    positions(holding) = kNone;
    const auto last = offers_.back();
    offers_.pop_back();
    if (last.holding == holding) return;
    if (at > 0 && last.order < offers_[(at - 1) / 2].order)
      sift_up(at, last, positions);
    else
      sift_down(at, last, positions);
  }
  template <class Positions>
  void clear(Positions&& positions) {
    for (const auto& one : offers_) positions(one.holding) = kNone;
    offers_.clear();
  }

 private:
  template <class Positions>
  void put(std::uint32_t at, const Offer& offer, Positions&& positions) {
    offers_[at] = offer;
    positions(offer.holding) = at;
  }
  template <class Positions>
  void sift_up(std::uint32_t at, const Offer offer, Positions&& positions) {
    for (; at > 0 && offer.order < offers_[(at - 1) / 2].order; at = (at - 1) / 2)
      put(at, offers_[(at - 1) / 2], positions);
    put(at, offer, positions);
  }
  template <class Positions>
  void sift_down(std::uint32_t at, const Offer offer, Positions&& positions) {
    for (;;) {
      auto child = 2 * at + 1;
      if (child >= offers_.size()) break;
      if (child + 1 < offers_.size() && offers_[child + 1].order < offers_[child].order) ++child;
      if (offers_[child].order >= offer.order) break;
      put(at, offers_[child], positions);
      at = child;
    }
    put(at, offer, positions);
  }

  std::vector<Offer> offers_;
};

}  // namespace weir
