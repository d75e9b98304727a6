// The part of a project that a change reaches, as a small project of its own: planned and run like any other,
// while the rest is not even loaded.
//
//   reached  its key may be another one, or its artifact is not there: it is planned, and built if need be
//   known    nothing about it has changed; it is there because something reached is built or tested with it
//
// An element is reached if it changed, or if it is built with one that is reached (or with one that needs
// such a one at run time), as keys have it; and if it needs one at run time and is tested with it. A known
// element brings only what it needs at run time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/project/load.h"
#include "core/snapshot/snapshot.h"

namespace weir::snapshot {

struct Part {
  struct Member {
    std::uint32_t row;
    bool reached;
  };
  std::vector<Member> members;  // in order of rows, so of names
  std::uint64_t wanted_outside =
      0;  // elements that a build without work looks at and that are no part of it; all are there
};

// Nothing: it would be so large that it is better to look at everything.
std::optional<Part> find_part(const Snapshot& snapshot, std::span<const std::uint32_t> changed);
// The elements alone, each for itself: to find out what became of their sources.
Part part_of(std::span<const std::uint32_t> rows);

// As if the members were the whole project. `shown` is what stands before the names of its files. Nothing:
// the snapshot is damaged.
std::optional<LoadedProject> load_part(const Snapshot& snapshot, const Part& part, const std::string& shown);

}  // namespace weir::snapshot
