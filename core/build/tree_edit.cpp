#include "core/build/tree_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weir {

namespace {

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto part = path.substr(0, end);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

Result<store::Directory> directory_of(store::Store& store, const store::Digest& digest) {
  auto bytes = store.read_blob(digest);
  if (!bytes) return tl::unexpected(bytes.error());
  return store::decode_directory(*bytes);
}

template <class Nodes>
auto named(const Nodes& nodes, std::string_view name) {
  return std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node.name == name; });
}

}  // namespace

Result<store::Digest> empty_tree(store::Store& store) { return store.put_directory({}); }

store::Digest empty_tree_at(std::string_view path) {
  store::Directory nothing;
  auto here = store::digest_of(store::encode(nothing));
  for (auto parts = parts_of(path); !parts.empty(); parts.pop_back()) {
    store::Directory around{{}, {{parts.back(), here}}, {}};
    here = store::digest_of(store::encode(around));
  }
  return here;
}

Result<store::Digest> subtree(store::Store& store, const store::Digest& tree, std::string_view path) {
  auto here = tree;
  const auto parts = parts_of(path);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto directory = directory_of(store, here);
    if (!directory) return tl::unexpected(directory.error());
    const auto child = named(directory->directories, parts[i]);
    const auto file = named(directory->files, parts[i]);
    if (child != directory->directories.end()) {
      here = child->digest;
    } else if (file != directory->files.end() && i + 1 == parts.size()) {
      return store.put_directory({{*file}, {}, {}});
    } else {
      return fail(Reason::project, fmt::format("there is no \"{}\" in the sources", path));
    }
  }
  return here;
}

Result<store::Digest> tree_at(store::Store& store, const store::Digest& tree, std::string_view path) {
  Result<store::Digest> here = tree;
  auto parts = parts_of(path);
  for (; here && !parts.empty(); parts.pop_back()) {
    if (!store::is_good_name(parts.back()))
      return fail(Reason::project, fmt::format("\"{}\" is no path for a tree", path));
    here = store.put_directory({{}, {{parts.back(), *here}}, {}});
  }
  return here;
}

}  // namespace weir
