// A fuzz target is one function over bytes, in one file, under one name:
//
//   WEIR_FUZZ_TARGET(directory) {
//     const auto decoded = decode_directory(input);
//     ...
//   }
//
// It returns if it has nothing to say of the input; WEIR_ASSERT is its finding. As a program of libFuzzer it
// is alone; the test fuzz_replay has all of them. targets.txt lists them with the code that each is to reach.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/assert.h"

namespace weir::fuzz {

struct Target {
  const char* name;
  void (*run)(std::string_view input);
};
std::vector<Target>& targets();

struct Registration {
  Registration(const char* name, void (*run)(std::string_view)) { targets().push_back({name, run}); }
};

#define WEIR_FUZZ_TARGET(name)                                                         \
  static void fuzz_##name(std::string_view input);                                     \
  static const ::weir::fuzz::Registration registration_of_##name{#name, &fuzz_##name}; \
  static void fuzz_##name(std::string_view input)

// The input as choices, for what is better built than guessed. At its end all is zero and empty.
class Choices {
 public:
  explicit Choices(std::string_view input) : rest_(input) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t byte();
  std::uint32_t below(std::uint32_t end) { return end == 0 ? 0 : number() % end; }
  std::uint32_t number();
  std::uint64_t wide() { return (std::uint64_t{number()} << 32) | number(); }
  // A length and that many bytes.
  std::string_view text() { return bytes(byte()); }
  std::string_view bytes(std::size_t most);
  std::string_view rest() { return std::exchange(rest_, {}); }

 private:
  std::string_view rest_;
};

// A folder of this process in memory, if there is one; removed at its end.
const std::string& folder();
void write_file(const std::string& path, std::string_view bytes);
void remove_file(const std::string& path);

}  // namespace weir::fuzz
