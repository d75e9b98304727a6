// What libFuzzer calls: the one target that is linked.
#include <cstdlib>

#include "tests/fuzz/fuzz_target.h"

extern "C" {
[[noreturn]] void __real__Exit(int code);

// A failed assertion ends the process with 70; libFuzzer keeps the inputs of what aborts.
[[noreturn]] void __wrap__Exit(int code) {
  if (code == 70) std::abort();
  __real__Exit(code);
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::fuzz::targets().front().run({reinterpret_cast<const char*>(data), size});
  return 0;
}
