#include "core/build/failures.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace weir {

bool Failures::has(const store::Key& key) const {
  return ::access((folder_ + "/" + key.hex()).c_str(), F_OK) == 0;
}

void Failures::remember(const store::Key& key, const std::string& element) const {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  std::ofstream(folder_ + "/" + key.hex()) << element << '\n';
}

void Failures::forget(const store::Key& key) const { ::unlink((folder_ + "/" + key.hex()).c_str()); }

}  // namespace weir
