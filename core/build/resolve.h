// Asks the kinds what the configuration of each element means. What they complain about becomes diagnostics
// at its place, all elements at once.
#pragma once

#include <string>
#include <vector>

#include "core/project/load.h"
#include "plugins/host/kinds.h"

namespace weir {

struct ResolvedSource {
  const SourceKind* kind = nullptr;
  std::string config;
  std::string directory;  // below the build directory, as the user has it
  std::string url;        // absolute; empty if it has none
  SourceFacts facts;
  SourceStage stage;
  // Its content is in the project; else it is pinned by a ref.
  bool of_project() const { return facts.content.has_value(); }
};

struct ResolvedElement {
  const ElementKind* kind = nullptr;
  std::string config;
  std::string later;  // what queues behind `build` are to know
  std::vector<ResolvedSource> sources;
};

// Loads the kinds that the project uses. Those that there are not, or whose libraries cannot be used, become
// diagnostics.
void load_kinds(const Project& project, Kinds& kinds, Diagnostics& diagnostics);

// By ElementIndex, of a project whose kinds are loaded. The Error is a fault of a plugin.
Result<std::vector<ResolvedElement>> resolve_elements(LoadedProject& loaded, Kinds& kinds);

// The name of a source in the root `source` of a job: its position.
std::string source_name(std::size_t position);

}  // namespace weir
