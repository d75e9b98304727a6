// What a run has handed to the store to be kept.
#pragma once

#include <utility>
#include <vector>

#include "core/store/store.h"

namespace weir {

class Tickets {
 public:
  void add(store::Ticket ticket) { all_.push_back(std::move(ticket)); }
  // Until all of it is durable. The first trouble in doing so.
  Status wait() {
    Status first;
    for (const auto& ticket : std::exchange(all_, {}))
      if (auto kept = ticket.wait(); !kept && first) first = kept;
    return first;
  }

 private:
  std::vector<store::Ticket> all_;
};

}  // namespace weir
