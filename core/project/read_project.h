// The sections of weir.toml, one small reader each. Elements are read elsewhere (load.cpp), since most have
// files of their own.
#pragma once

#include "core/project/project.h"
#include "core/project/variables.h"

namespace weir {

// Reads everything of `document` but the elements, which are left in place under "element". False if the
// format is newer than this weir: then nothing else was looked at, since its meaning is unknown.
bool read_project(TomlValue& document, Project& project, Variables& variables, Diagnostics& diagnostics);

// Shared with the settings of a person.
void read_remotes(TableReader& reader, std::string_view key, std::vector<Remote>& remotes);
void read_resources(TableReader& reader, std::string_view key, std::vector<Resource>& resources);
// process, memory, download, upload and cache with their defaults, sorted.
std::vector<Resource> default_resources();

}  // namespace weir
