// What a library says of itself, asked in a child: weir goes on whatever it does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plugins/host/in_child.h"
#include "plugins/host/plugin_library.h"

namespace weir {

struct ExaminedKind {
  PluginType type;
  std::string kind;
  std::uint32_t version = 0;
  std::string example;
};

struct ExaminedLibrary {
  std::string name, version, abi;
  std::vector<ExaminedKind> kinds;
  std::vector<std::string> unknown;  // types that this weir does not know
};

// `from`: as PluginLibrary::load has it. An Error says why it cannot be used: as PluginLibrary::load, or how
// the child ended.
Result<ExaminedLibrary> examine_library(const std::string& file, std::chrono::seconds limit,
                                        const std::string& from = {});

}  // namespace weir
