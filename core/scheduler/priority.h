// The fixed order in which ready jobs are started: longest remaining path first, then the smaller id, which
// is unique, so that a schedule is a pure function of its plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/ids.h"

namespace weir {

class PriorityOrder {
 public:
  // `remaining` is the longest remaining path of each element.
  explicit PriorityOrder(std::span<const std::uint32_t> remaining);

  std::uint32_t position(ElementId element) const { return position_[index(element)]; }
  ElementId at(std::uint32_t position) const { return at_[position]; }
  std::size_t size() const { return at_.size(); }

 private:
  std::vector<ElementId> at_;
  std::vector<std::uint32_t> position_;
};

}  // namespace weir
