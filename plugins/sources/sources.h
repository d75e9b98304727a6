// The source kinds that come with weir.
#pragma once

#include <memory>

#include "core/model/kind.h"

namespace weir {

std::unique_ptr<SourceKind> make_local_kind();
std::unique_ptr<SourceKind> make_git_kind();
std::unique_ptr<SourceKind> make_tar_kind();
std::unique_ptr<SourceKind> make_file_kind();
std::unique_ptr<SourceKind> make_patch_kind();

}  // namespace weir
