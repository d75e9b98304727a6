// Settings by name and as text: what environment and command line give, and what `weir doctor` shows.
#pragma once

#include <optional>

#include "core/project/settings.h"

namespace weir {

// Sets what is named; else nothing is changed and the error says why.
std::optional<Error> set_text(Settings& settings, std::string_view name, std::string_view text,
                              Origin origin);
void set_amount(Settings& settings, std::string_view resource, Amount amount, Origin origin);

}  // namespace weir
