// How many jobs of each class may start, from scratch: targets by load, entitlement, loans, background,
// rebalance. Pure functions over all classes at once; load_allocator.h keeps the same answer up to date while
// jobs come and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/placement/share.h"

namespace weir {

// Whether what a class holds beyond its target counts when more is lent.
enum class Loans : std::uint8_t { plain, accounted };

struct ClassJobs {
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  bool is_active() const { return running > 0 || waiting > 0; }
};

struct Allocation {
  std::vector<std::int64_t> target, start, stop;
  std::int64_t spread = 0;  // in workers: of `workers`, it is a percentage
  bool rebalanced = false;
};

struct AllocationInput {
  std::int64_t workers = 0;
  std::int64_t idle = 0;
  Loans loans = Loans::plain;
  Decimal threshold{50};       // percent of the workers
  bool over_for_long = false;  // the spread, if it is above the threshold, has been so for long enough
  std::span<const Decimal> loads;
  std::span<const ClassJobs> jobs;  // for each load
};

Allocation allocate(const AllocationInput& input);

// ---- its parts ----

std::vector<std::int64_t> targets(std::int64_t workers, const Weights& loads,
                                  std::span<const ClassJobs> jobs);
std::vector<std::int64_t> starts(std::int64_t idle, Loans loans, const Weights& loads,
                                 std::span<const std::int64_t> target, std::span<const ClassJobs> jobs);
// What each class would run if nothing ran yet.
std::vector<std::int64_t> from_scratch(std::int64_t idle, Loans loans, const Weights& loads,
                                       std::span<const std::int64_t> target, std::span<const ClassJobs> jobs);
// The least spread in workers that is above `threshold` percent of them.
std::int64_t least_spread_above(const Decimal& threshold, std::int64_t workers);

// A class counts for the spread if it is over its target or has waiting jobs.
inline bool counts_for_spread(std::int64_t target, const ClassJobs& jobs) {
  return jobs.running > target || jobs.waiting > 0;
}

}  // namespace weir
