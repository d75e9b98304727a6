// Which builds failed, by their resolved key: the same commands on the same inputs would fail again. A key
// has the refs of sources, and not their files; so the trees that a build had are kept with its failure, and
// it counts for these alone. One small file each, so that two weirs do not disturb each other. Any thread.
#pragma once

#include <optional>
#include <string>

#include "core/build/source_trees.h"
#include "core/store/digest.h"

namespace weir {

class Failures {
 public:
  explicit Failures(std::string folder) : folder_(std::move(folder)) {}
  // What `trees_of` gave for the sources of the build that failed with this key; nothing if none did.
  std::optional<std::string> find(const store::Key& key) const;
  // What cannot be written is not remembered, and tried again.
  void remember(const store::Key& key, const std::string& element, const std::string& trees) const;
  void forget(const store::Key& key) const;

  // A line for each source. Nothing if one is not here.
  static std::optional<std::string> trees_of(const PlannedSources& sources);

 private:
  std::string folder_;
};

}  // namespace weir
