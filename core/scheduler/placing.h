// What a scheduler keeps for jobs that are placed: allocator and placer, the workers, and the jobs between
// the two.
//
//   ready --allocator: whose turn it is; tokens--> placing (in the placer) --a worker picks it--> running
//   there
//
// Only jobs that build and those of queues of plugins are placed; all others run where the loop runs.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/model/ids.h"
#include "core/model/placement.h"
#include "core/scheduler/workforce.h"
#include "resources/ledger.h"

namespace weir {

struct PlacementParts {
  Allocator& allocator;
  Placer& placer;
  std::vector<WorkerSpec> workers;
  // The first worker has as many slots as there are of this token, also when that changes.
  std::optional<TokenId> slots_follow;
};

struct Placing {
  Allocator& allocator;
  Placer& placer;
  Workforce workers;
  std::optional<TokenId> slots_follow;
  std::vector<bool> queues;                                       // whose jobs are placed, by queue
  std::unordered_map<std::uint32_t, Ledger::Reservation> tokens;  // by element; of jobs in the placer
  std::vector<std::vector<JobId>> begun;  // by class, in order of admission; with some that are over
  std::vector<BuildId> blocked;           // builds that the allocator passes over, since...
  std::uint64_t blocked_in = 0;           // ... this epoch
  std::vector<WorkerId> hungry;           // have room, and were not asked what they take
  std::vector<ElementId> unpicked;  // went into the placer in this round; only if somebody wants to know
  std::unordered_map<std::uint32_t, std::vector<ResultId>>
      aside;  // by worker; what those that are drained hold
  bool told_of_standstill = false;
  std::vector<Placer::Ended> ended;  // reused by step()
};

}  // namespace weir
