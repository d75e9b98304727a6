// Recursive removal that stays where it began, whatever others do there meanwhile: each folder is opened
// relative to the one above it without following a link, and the way back up is compared with the way down.
// Jobs of a weir that was killed may still exchange folders for links while their files are removed.
#pragma once

#include <string>

#include "core/base/result.h"

namespace weir {

// Removes a file, or a folder and all below it, however deep and whatever its modes; links are removed, never
// followed, neither at `name` nor below it. What is gone already is fine. `name` may have several parts; of
// these, links are refused below a descriptor, and followed for AT_FDCWD: there the caller knows the way.
Status remove_tree(int directory, const std::string& name);

}  // namespace weir
