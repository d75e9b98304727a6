// One [element.NAME] or element file to an Element. Pure: any thread, one Diagnostics each. Dependencies are
// still names (link.h resolves them when all elements are there).
#pragma once

#include <array>
#include <memory>
#include <string>

#include "core/project/element.h"
#include "core/project/variables.h"

namespace weir {

struct ElementDraft {
  Element element;
  struct List {
    DependencyKind kind;
    std::vector<PlacedText> names;
  };
  std::array<List, 3> dependencies{
      {{DependencyKind::both, {}}, {DependencyKind::build, {}}, {DependencyKind::runtime, {}}}};
};

// By pointer: a draft is near a kilobyte, and drafts are collected and sorted.
using DraftPointer = std::unique_ptr<ElementDraft>;

DraftPointer read_element(std::string name, TomlValue& table, const Variables& project_variables,
                          const RetryPolicy& project_retry, Diagnostics& diagnostics);

// Names are paths: parts of anything visible but the characters that shells, globs and later syntax use.
bool is_element_name(std::string_view name);

// Shared with [retry] of the project.
void read_retry(TableReader& reader, RetryPolicy& policy);
// Environment variables: names that a process can have.
void check_environment(const TextMap& env, const TomlValue* table, Diagnostics& diagnostics);

}  // namespace weir
