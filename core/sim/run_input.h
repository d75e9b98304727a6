// What `weir sim run` is given: a cluster, its classes, builds that arrive, and what goes wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/placement/cache_placer.h"
#include "core/placement/json_input.h"
#include "core/placement/load_allocator.h"

namespace weir::sim {

struct Lognormal {
  double median = 1;
  double sigma = 0;
};

struct RunInput {
  std::uint32_t workers = 1, slots = 1;
  std::uint64_t seed = 0;
  bool by_load = true;      // or whoever asked first
  bool cache_aware = true;  // or one queue for all
  LoadSettings loads;
  CachePlacerSettings placer;

  std::uint32_t builds = 1, jobs_each = 1, depth = 1, fan_in = 0;
  Lognormal duration_ms, artifact_bytes;
  double arrival_s = 0;              // between two builds, on average
  std::vector<double> share;         // of the builds, for each class
  double bandwidth_bytes_per_s = 0;  // into each worker; 0: moving takes no time
  double worker_mtbf_s = 0;          // 0: workers do not fail
  double repair_s = 60;
  double slow_fraction = 0, slow_factor = 4;

  std::int64_t places() const { return static_cast<std::int64_t>(workers) * slots; }
};

RunInput read_run_input(const JsonInput& input);

}  // namespace weir::sim
