// Trees as the Remote Execution API v2 has them: a directory is a `Directory` message, named by its digest; a
// whole tree in one blob is a `Tree` message. The codec is our own (no protobuf in the core) and canonical:
// the same directory always gives the same bytes, which protoc gives too.
//
// Decoding is strict, since trees come from remotes as well: names that are empty, ".", "..", hold "/" or
// NUL, are longer than a file system takes, are unsorted or there twice, bad digests, unknown fields, and
// bytes that this encoder would not have written are refused. Names are bytes, as in the file system; a
// server that insists on UTF-8 may refuse others. Values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/store/digest.h"

namespace weir::store {

struct FileNode {
  std::string name;
  Digest digest;
  bool executable = false;
  bool operator==(const FileNode&) const = default;
};
struct DirectoryNode {
  std::string name;
  Digest digest;
  bool operator==(const DirectoryNode&) const = default;
};
struct SymlinkNode {
  std::string name;
  std::string target;  // kept as it is, never followed
  bool operator==(const SymlinkNode&) const = default;
};

struct Directory {
  std::vector<FileNode> files;
  std::vector<DirectoryNode> directories;
  std::vector<SymlinkNode> symlinks;
  bool operator==(const Directory&) const = default;
};

struct Tree {
  Directory root;
  std::vector<Directory> children;  // every directory below the root once, in any order
  bool operator==(const Tree&) const = default;
};

// Sorts by name in place. Asserts that names are good and unique: the caller read them from a file system.
std::string encode(Directory& directory);
Result<Directory> decode_directory(std::string_view bytes);

std::string encode(Tree& tree);
Result<Tree> decode_tree(std::string_view bytes);

inline constexpr std::size_t kLongestName = 255;   // NAME_MAX
inline constexpr std::size_t kLongestLink = 4095;  // PATH_MAX without its NUL

bool is_good_name(std::string_view name);

}  // namespace weir::store
