// What a kind complains about, told at its place in the user's file.
#pragma once

#include <string>

#include "core/model/kind.h"
#include "core/project/diagnostic.h"
#include "core/project/toml_value.h"

namespace weir {

// A table as a kind gets it.
std::string json_of(const TomlValue& config);

// The resolved document; complaints become diagnostics, at `fallback` where the table has no place.
std::string take_resolved(ResolvedConfig resolved, const TomlValue& config, Place fallback,
                          const std::string& whose, Diagnostics& diagnostics);

}  // namespace weir
