// Drafts to a linked project: names become indices, and what only the whole project can tell is checked:
// duplicate and missing elements, resources, cycles. One thread, after all files are read.
#pragma once

#include <vector>

#include "core/project/read_element.h"
#include "core/project/read_project.h"

namespace weir {

// Fills project.elements from the drafts. `complete` is false when a file could not be parsed: an element
// that is missing may then be in it, so only names that look mistyped are told.
void link_elements(std::vector<DraftPointer> drafts, bool complete, Project& project,
                   Diagnostics& diagnostics);

// Every ring of dependencies that shares no element with one told before, each edge with its place.
void find_cycles(const Project& project, Diagnostics& diagnostics);

}  // namespace weir
