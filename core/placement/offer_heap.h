// What one worker might take: a heap of its holdings by the order of the first job that waits for each. An
// order here is a lower bound. Jobs leave the queues of artifacts without telling all who hold them; whoever
// looks at the top brings it up to date then.
//
// Nearly all heaps are small, and a look at all of a few offers costs less than to write down where each of
// them is: that would be a cache miss for each step of a sift. Only in a large heap is it written down.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/placement.h"
#include "core/placement/steady_array.h"

namespace weir {

// Positions: called with a holding gives where it was last written to be; what is there is looked at, so an
// old answer does no harm.
class OfferHeap {
 public:
  struct Offer {
    std::uint64_t order;
    std::uint32_t job;  // of that order, perhaps gone by now
    std::uint32_t holding;
    ResultId artifact;  // of the holding: the top is looked at far more often than anything else of it
  };

  bool empty() const { return offers_.empty(); }
  const Offer& top() const { return offers_.front(); }
  // The top and those that may be next.
  std::span<const Offer> first_few() const { return {offers_.data(), std::min(offers_.size(), kFew)}; }
  void prefetch() const { __builtin_prefetch(offers_.data()); }

  // Puts it in, or raises its chances; never lowers them.
  template <class Positions>
  void offer(const Offer& offer, Positions&& positions) {
    auto at = find(offer.holding, positions);
    if (at == kNone) {
      at = size();
      offers_.push_back(offer);
      if (size() == kScanned + 1) write_down_all(positions);
    } else if (offers_[at].order <= offer.order) {
      return;
    }
    sift_up(at, offer, positions);
  }
  template <class Positions>
  void correct_top(std::uint64_t order, std::uint32_t job, Positions&& positions) {
    auto top = offers_.front();
    top.order = order;
    top.job = job;
    sift_down(0, top, positions);
  }
  template <class Positions>
  void remove_top(Positions&& positions) {
    remove_at(0, positions);
  }
  template <class Positions>
  void remove(std::uint32_t holding, Positions&& positions) {
    const auto at = find(holding, positions);
    if (at != kNone) remove_at(at, positions);
  }
  void clear() { offers_.clear(); }

 private:
  static constexpr std::size_t kFew = 3;
  static constexpr std::uint32_t kScanned = 16;

  std::uint32_t size() const { return static_cast<std::uint32_t>(offers_.size()); }
  template <class Positions>
  std::uint32_t find(std::uint32_t holding, Positions&& positions) const {
    if (size() > kScanned) {
      const auto at = positions(holding);
      return at < size() && offers_[at].holding == holding ? at : kNone;
    }
    for (std::uint32_t at = 0; at < size(); ++at)
      if (offers_[at].holding == holding) return at;
    return kNone;
  }
  template <class Positions>
  void write_down_all(Positions&& positions) {
    for (std::uint32_t at = 0; at < size(); ++at) positions(offers_[at].holding) = at;
  }
  template <class Positions>
  void remove_at(std::uint32_t at, Positions&& positions) {
    const auto last = offers_.back();
    offers_.pop_back();
    if (at == size()) return;
    if (at > 0 && last.order < offers_[(at - 1) / 2].order) sift_up(at, last, positions);
    else sift_down(at, last, positions);
  }
  template <class Positions>
  void put(std::uint32_t at, const Offer& offer, Positions&& positions) {
    offers_[at] = offer;
    if (size() > kScanned) positions(offer.holding) = at;
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
