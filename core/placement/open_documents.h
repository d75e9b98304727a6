// The documents that the kinds of placement are opened with: what [placement] and [[class]] of a project say,
// as JSON. What is missing has its default. An Error begins with the path of the value: "$.classes[1].load:
// is negative".
#pragma once

#include <memory>
#include <string_view>

#include "core/placement/cache_placer.h"
#include "core/placement/load_allocator.h"

namespace weir {

// {"loans", "rebalance-threshold", "rebalance-after", "classes": [{"name", "load", "requestor"}]}. Without
// classes there is one, "default", that has everything.
Result<std::unique_ptr<LoadAllocator>> open_load_allocator(std::string_view document);

// {"cache-timeout", "deps-timeout", "pick", "skip-empty-stages", "seed"}
Result<CachePlacerSettings> read_cache_placer(std::string_view document);

}  // namespace weir
