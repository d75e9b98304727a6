// The element kinds that come with weir.
#pragma once

#include <memory>

#include "core/model/kind.h"

namespace weir {

std::unique_ptr<ElementKind> make_script_kind();
std::unique_ptr<ElementKind> make_import_kind();
std::unique_ptr<ElementKind> make_stack_kind();
std::unique_ptr<ElementKind> make_make_kind();
std::unique_ptr<ElementKind> make_autotools_kind();
std::unique_ptr<ElementKind> make_cmake_kind();
std::unique_ptr<ElementKind> make_meson_kind();

}  // namespace weir
