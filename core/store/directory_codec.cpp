#include "core/store/directory_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/assert.h"
#include "core/base/interruption.h"
#include "core/store/digest_message.h"
#include "core/store/proto_wire.h"

namespace weir::store {

namespace {

using proto::Field;
using proto::Fields;

std::string encode_node(const FileNode& node) {
  std::string out;
  proto::put_bytes(out, 1, node.name);
  proto::put_bytes(out, 2, encode_digest(node.digest));
  proto::put_number(out, 4, node.executable ? 1 : 0);
  return out;
}

std::string encode_node(const DirectoryNode& node) {
  std::string out;
  proto::put_bytes(out, 1, node.name);
  proto::put_bytes(out, 2, encode_digest(node.digest));
  return out;
}

std::string encode_node(const SymlinkNode& node) {
  std::string out;
  proto::put_bytes(out, 1, node.name);
  proto::put_bytes(out, 2, node.target);
  return out;
}

template <class Node>
void put_nodes(std::string& out, unsigned field, const std::vector<Node>& nodes) {
  for (const auto& node : nodes) proto::put_bytes(out, field, encode_node(node));
}

std::string encode_sorted(const Directory& directory) {
  std::string out;
  put_nodes(out, 1, directory.files);
  put_nodes(out, 2, directory.directories);
  put_nodes(out, 3, directory.symlinks);
  return out;
}

// Unknown fields are skipped here; the comparison with the canonical bytes refuses them afterwards.
bool read_node(std::string_view bytes, FileNode& node) {
  Fields fields(bytes);
  bool digest_good = false;
  for (Field field; fields.next(field);) {
    if (field.number == 1) node.name = field.bytes;
    if (field.number == 2) digest_good = read_digest(field.bytes, node.digest);
    if (field.number == 4) node.executable = field.value != 0;
  }
  return fields.ok() && digest_good;
}

bool read_node(std::string_view bytes, DirectoryNode& node) {
  FileNode file;
  if (!read_node(bytes, file)) return false;
  node = {std::move(file.name), file.digest};
  return true;
}

bool read_node(std::string_view bytes, SymlinkNode& node) {
  Fields fields(bytes);
  for (Field field; fields.next(field);) {
    if (field.number == 1) node.name = field.bytes;
    if (field.number == 2) node.target = field.bytes;
  }
  return fields.ok() && !node.target.empty() && node.target.find('\0') == std::string::npos;
}

bool read_nodes(std::string_view bytes, Directory& directory) {
  Fields fields(bytes);
  bool good = true;
  for (Field field; good && fields.next(field);) {
    if (field.number == 1) good = read_node(field.bytes, directory.files.emplace_back());
    else if (field.number == 2) good = read_node(field.bytes, directory.directories.emplace_back());
    else if (field.number == 3) good = read_node(field.bytes, directory.symlinks.emplace_back());
    else good = false;
  }
  return good && fields.ok();
}

template <class Node>
void take_names(const std::vector<Node>& nodes, std::vector<std::string_view>& names) {
  for (const auto& node : nodes) names.push_back(node.name);
}

template <class Node>
bool is_sorted_by_name(const std::vector<Node>& nodes) {
  return std::is_sorted(nodes.begin(), nodes.end(), [](auto& a, auto& b) { return a.name < b.name; });
}

// The first name that may not be there, with the reason; nothing if all are good.
std::optional<std::string> wrong_name(const Directory& directory) {
  std::vector<std::string_view> names;
  take_names(directory.files, names);
  take_names(directory.directories, names);
  take_names(directory.symlinks, names);
  for (const auto name : names)
    if (name.size() > kLongestName)
      return fmt::format("a name has {} bytes, more than {}", name.size(), kLongestName);
    else if (!is_good_name(name)) return fmt::format("the name '{}' is not allowed", name);
  for (const auto& symlink : directory.symlinks)
    if (symlink.target.size() > kLongestLink)
      return fmt::format("the target of a symlink has {} bytes, more than {}", symlink.target.size(),
                         kLongestLink);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) return fmt::format("the name '{}' is there twice", *twice);
  if (!is_sorted_by_name(directory.files) || !is_sorted_by_name(directory.directories) ||
      !is_sorted_by_name(directory.symlinks))
    return "the names are not sorted";
  return std::nullopt;
}

template <class Node>
void sort_by_name(std::vector<Node>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [](auto& a, auto& b) { return a.name < b.name; });
}

}  // namespace

bool is_good_name(std::string_view name) {
  if (name.empty() || name == "." || name == ".." || name.size() > kLongestName) return false;
  return name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

std::string encode(Directory& directory) {
  sort_by_name(directory.files);
  sort_by_name(directory.directories);
  sort_by_name(directory.symlinks);
  const auto wrong = wrong_name(directory);
  WEIR_ASSERT(!wrong, "encoding a directory: {}", wrong.value_or(""));
  return encode_sorted(directory);
}

Result<Directory> decode_directory(std::string_view bytes) {
  Directory directory;
  if (!read_nodes(bytes, directory)) return fail(Reason::system, "decoding a directory: damaged bytes");
  if (const auto wrong = wrong_name(directory))
    return fail(Reason::system, "decoding a directory: " + *wrong);
  if (encode_sorted(directory) != bytes)
    return fail(Reason::system, "decoding a directory: not in canonical form");
  return directory;
}

std::string encode(Tree& tree) {
  std::string out;
  proto::put_bytes(out, 1, encode(tree.root));
  for (auto& child : tree.children) proto::put_bytes(out, 2, encode(child));
  return out;
}

Result<Tree> decode_tree(std::string_view bytes) {
  Tree tree;
  Fields fields(bytes);
  bool root_seen = false;
  for (Field field; fields.next(field);) {
    if (interrupted()) return fail_interrupted();
    if (field.type != proto::WireType::bytes || field.number < 1 || field.number > 2 ||
        (field.number == 1 && root_seen))
      return fail(Reason::system, "decoding a tree: a field that does not belong there");
    auto directory = decode_directory(field.bytes);
    if (!directory) return tl::unexpected(directory.error());
    if (field.number == 1) {
      tree.root = std::move(*directory);
      root_seen = true;
    } else {
      tree.children.push_back(std::move(*directory));
    }
  }
  if (!fields.ok() || !root_seen) return fail(Reason::system, "decoding a tree: damaged bytes");
  return tree;
}

}  // namespace weir::store
