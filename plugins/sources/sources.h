// The source kinds that come with weir.
#pragma once

#include <memory>

#include "core/model/kind.h"

namespace weir {

std::unique_ptr<SourceKind> make_local_kind();

}  // namespace weir
