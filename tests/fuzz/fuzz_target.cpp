#include "tests/fuzz/fuzz_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/fd.h"

namespace weir::fuzz {

namespace {

struct Folder {
  Folder() {
    std::string name = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
    name += "/weir-fuzz-XXXXXX";
    WEIR_ASSERT(::mkdtemp(name.data()), "no folder for the fuzzer");
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

}  // namespace

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

std::uint8_t Choices::byte() {
  if (rest_.empty()) return 0;
  const auto value = static_cast<std::uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return value;
}

std::uint32_t Choices::number() {
  std::uint32_t value = 0;
  const auto raw = bytes(sizeof value);
  if (!raw.empty()) std::memcpy(&value, raw.data(), raw.size());
  return value;
}

std::string_view Choices::bytes(std::size_t most) {
  const auto taken = rest_.substr(0, most);
  rest_.remove_prefix(taken.size());
  return taken;
}

const std::string& folder() {
  static const Folder one;
  return one.path;
}

void write_file(const std::string& path, std::string_view bytes) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  WEIR_ASSERT(file && write_all(file.get(), bytes), "writing {}", path);
}

void remove_file(const std::string& path) { ::unlink(path.c_str()); }

}  // namespace weir::fuzz
