// Asks the kinds what the configuration of each element means. What they complain about becomes diagnostics at its place,
// all elements at once.
#pragma once

#include <string>
#include <vector>

#include "core/project/project.h"
#include "plugins/host/kinds.h"

namespace weir {

struct ResolvedSource {
  const SourceKind* kind = nullptr;
  std::string config;
  std::string directory;  // below the build directory
  std::string url;        // absolute; empty if it has none
  bool of_project = false;  // its content is in the project; else it is pinned by a ref
};

struct ResolvedElement {
  const ElementKind* kind = nullptr;
  std::string config;
  std::vector<ResolvedSource> sources;
};

// By ElementIndex. Every kind is known: the loader has refused others.
std::vector<ResolvedElement> resolve_elements(const Project& project, const Kinds& kinds, Diagnostics& diagnostics);

}  // namespace weir
