// Kinds of allocators and placers, by the names that [placement] may use. Each is opened once for a run.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/model/kind.h"
#include "core/model/placement.h"

namespace weir {

class PlacementKind {
 public:
  virtual ~PlacementKind() = default;
  virtual std::string_view name() const = 0;
  virtual std::uint32_t version() const = 0;
  virtual std::string_view plugin() const = 0;  // who made it; empty for those of weir
};

class AllocatorKind : public PlacementKind {
 public:
  // Reason::project if the document is wrong, and then `complaints` has all of it, with paths; else a fault
  // of the plugin.
  virtual Result<std::unique_ptr<Allocator>> open(std::string_view document,
                                                  std::vector<Complaint>* complaints = nullptr) const = 0;
};

class PlacerKind : public PlacementKind {
 public:
  virtual Result<std::unique_ptr<Placer>> open(std::string_view document,
                                               std::vector<Complaint>* complaints = nullptr) const = 0;
};

}  // namespace weir
