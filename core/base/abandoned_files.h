// Files that are replaced by a rename are first written beside their place, as NAME.PID or NAME.PID.tmp. A
// process that is killed before the rename leaves such a file.
#pragma once

#include <string>
#include <string_view>

namespace weir {

// Removes those of this user in a folder whose process no longer exists; with a name, only NAME.PID.tmp: such
// a file is among files of the user, who may have named a backup weir.lock.20240115.
void remove_abandoned_files(const std::string& folder, std::string_view name = {});
void remove_abandoned_files(int folder, std::string_view name = {});

}  // namespace weir
