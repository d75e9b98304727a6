// Feeds bytes of any kind to the project loader. An input is a row of files: the first is weir.toml, and a
// line
// "=== PATH" begins the next. Built with clang and -DWEIR_FUZZ=ON as a libFuzzer program; the unit tests
// replay the corpus and random changes of it through the same function.
#include "tests/fuzz/project_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weir::fuzz_project({reinterpret_cast<const char*>(data), size});
  return 0;
}
