#include "core/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace weir {

namespace {
constexpr int kExitBug = 70;  // EX_SOFTWARE; the exit code of "a bug in weir or a plugin"
}

void assertion_failed(const char* condition, const char* file, int line, std::string_view state) {
  fmt::print(stderr, "weir: this is a bug in weir: {}:{}: {} does not hold: {}\n", file, line, condition,
             state);
  std::fflush(stderr);
  std::_Exit(kExitBug);
}

}  // namespace weir
