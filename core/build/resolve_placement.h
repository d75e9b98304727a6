// The allocator and the placer of a project, opened: what [placement] and [[class]] say becomes the documents
// of two kinds, which may be of plugins.
#pragma once

#include <memory>
#include <string>

#include "core/model/placement.h"
#include "core/project/project.h"
#include "plugins/host/kinds.h"

namespace weir {

// JSON objects as the kinds are opened with them; canonical.
struct PlacementDocuments {
  // {"allocate", "classes": [{"load", "name", "requestor"}], "loans", "rebalance-after": seconds,
  // "rebalance-threshold"}
  std::string allocator;
  // {"cache-timeout": seconds, "deps-timeout": seconds, "pick", "place", "seed", "skip-empty-stages"}
  std::string placer;
};
// `seed` is for picks at random.
PlacementDocuments placement_documents(const Project& project, std::uint64_t seed = 0);

struct ResolvedPlacement {
  std::unique_ptr<Allocator> allocator;
  std::unique_ptr<Placer> placer;
};

// Loads the two plugins. What is wrong becomes diagnostics, at the key of weir.toml that it is about, and
// then something is missing in the answer; the Error is a fault of a plugin.
Result<ResolvedPlacement> resolve_placement(const Project& project, Kinds& kinds, Diagnostics& diagnostics,
                                            std::uint64_t seed = 0);

// Whether weir.toml says anything of it.
inline bool is_placement_given(const Project& project) {
  return !project.placement.places.empty() || !project.classes.empty();
}

}  // namespace weir
