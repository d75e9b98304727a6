// What has changed since a snapshot was taken, by stat alone; only files whose stamp is another one are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/snapshot/snapshot.h"
#include "core/snapshot/sweep.h"

namespace weir::snapshot {

struct Changes {
  bool everything = false;  // of the frame, the host or the set of elements: the snapshot is of no use
  std::vector<std::uint32_t> elements;     // rows whose sources may have changed; sorted
  std::vector<std::uint32_t> definitions;  // rows whose element files say something else; sorted
  std::vector<Patch> settled;              // files that have another stamp and the same content
};

// `root` of the project, absolute.
Changes look(Snapshot& snapshot, const std::string& root);

// A watch as it is to be from now on.
Patch patch_of(const Snapshot& snapshot, std::uint32_t watch, FileStamp now, std::int64_t taken_ns);

}  // namespace weir::snapshot
