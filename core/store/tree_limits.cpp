#include "core/store/tree_limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir::store {

namespace {

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? TreeSize::kMany : result;
}

}  // namespace

void add_size(std::uint64_t& to, std::uint64_t more) {
  if (__builtin_add_overflow(to, more, &to)) to = TreeSize::kMany;
}

TreeSize size_of(const Directory& directory, const std::function<TreeSize(const Digest&)>& size_of_child) {
  TreeSize size;
  size.entries = directory.files.size() + directory.directories.size() + directory.symlinks.size();
  for (const auto& file : directory.files) add_size(size.bytes, file.digest.size);
  for (const auto& node : directory.directories) {
    const auto child = size_of_child(node.digest);
    add_size(size.entries, child.entries);
    add_size(size.directories, child.directories);
    add_size(size.bytes, child.bytes);
    add_size(size.path_bytes, child.path_bytes);
    add_size(size.path_bytes, product(child.directories, node.name.size() + 1));
    size.levels = std::max(size.levels, child.levels == TreeSize::kMany ? child.levels : child.levels + 1);
  }
  return size;
}

Status check_tree_size(const TreeSize& size, Reason reason) {
  const auto refuse = [&](const std::string& what) { return fail(reason, "it has more than " + what); };
  if (size.levels > kMostLevels) return refuse(fmt::format("{} levels of folders", kMostLevels));
  if (size.entries > kMostEntries)
    return refuse(fmt::format("{} entries (files, folders and symlinks)", kMostEntries));
  if (size.bytes > kMostTreeBytes) return refuse(fmt::format("{} TiB of files", kMostTreeBytes >> 40));
  if (size.path_bytes > kMostPathBytes)
    return refuse(fmt::format("{} GiB of paths of folders", kMostPathBytes >> 30));
  return {};
}

}  // namespace weir::store
