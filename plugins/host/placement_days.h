// Made up days for an allocator and a placer: jobs come, start, end, are withdrawn and stopped, workers come
// and go, at random and always the same. For `weir plugin check`; the text sums up what was answered, so that
// two days can be compared.
#pragma once

#include <string>

#include "core/model/placement.h"

namespace weir {

// An Error is a rule that was broken: of the border, or that somebody starts as long as something waits and
// all is free.
Result<std::string> try_allocator(Allocator& allocator);
Result<std::string> try_placer(Placer& placer);

}  // namespace weir
