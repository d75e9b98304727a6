#include "core/build/failures.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace weir {

std::optional<std::string> Failures::find(const store::Key& key) const {
  const auto path = folder_ + "/" + key.hex();
  if (::access(path.c_str(), F_OK) != 0) return std::nullopt;
  std::ifstream file(path);
  std::string element;
  if (!std::getline(file, element)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void Failures::remember(const store::Key& key, const std::string& element, const std::string& trees) const {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  std::ofstream(folder_ + "/" + key.hex()) << element << '\n' << trees;
}

void Failures::forget(const store::Key& key) const { ::unlink((folder_ + "/" + key.hex()).c_str()); }

std::optional<std::string> Failures::trees_of(const PlannedSources& sources) {
  std::string lines;
  for (const auto& source : sources) {
    if (!source.tree) return std::nullopt;
    lines += source.tree->text() + '\n';
  }
  return lines;
}

}  // namespace weir
