#include "core/build/failures.h"

#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "core/base/regular_file.h"

namespace weir {

std::optional<std::string> Failures::find(const store::Key& key) const {
  const auto path = folder_ + "/" + key.hex();
  if (::access(path.c_str(), F_OK) != 0) return std::nullopt;
  auto file = open_regular_file(path);
  std::string element;
  if (!std::getline(file, element)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void Failures::remember(const store::Key& key, const std::string& element, const std::string& trees) const {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  forget(key);  // also what damage left there: opening a fifo would wait for its reader
  std::ofstream(folder_ + "/" + key.hex()) << element << '\n' << trees;
}

void Failures::forget(const store::Key& key) const {
  std::error_code ignored;
  std::filesystem::remove_all(folder_ + "/" + key.hex(), ignored);
}

std::optional<std::string> Failures::trees_of(const PlannedSources& sources) {
  std::string lines;
  for (const auto& source : sources) {
    if (!source.tree) return std::nullopt;
    lines += source.tree->text() + '\n';
  }
  return lines;
}

}  // namespace weir
