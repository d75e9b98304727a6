// What is in a directory, before a byte of a file is read: all directories level by level, the files of each
// with their stat, the symlinks with their targets. Nothing is followed. One call of walk(); the result is
// plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/store/directory_codec.h"
#include "core/store/parallel.h"
#include "core/store/stat_index.h"
#include "core/store/tree_limits.h"

namespace weir::store {

// True for a relative path that is left out, with all below it. Called from many threads.
using Exclude = std::function<bool(std::string_view path)>;

struct WalkedFile {
  std::string name;
  FileStat stat;
  Digest digest;
  bool done = false;     // the digest is known and its object is there
  bool movable = false;  // a regular inode of ours with this one name and no extended attributes
};

struct WalkedDirectory {
  std::string path;  // relative to the root, which is ""
  std::string name;
  std::uint32_t parent = 0;
  FileStamp stamp;  // before it was listed
  std::vector<WalkedFile> files;
  std::vector<SymlinkNode> symlinks;
  std::vector<std::string> children;
  // Names of files that were setuid, setgid or sticky, and of sticky directories (setgid they are also where
  // a parent was); the store keeps no such bit.
  std::vector<std::string> special_modes;
};

struct Walk {
  std::vector<WalkedDirectory> directories;  // a parent comes before its children
  std::vector<std::size_t> levels;           // where each level begins, and the end
  std::size_t files = 0;
  std::size_t symlinks = 0;
  TreeSize size;  // so far
};

struct WalkOptions {
  Exclude exclude;
  bool ours = false;  // an output: unreadable directories are made readable, movable files are marked
};

// Device nodes, sockets and fifos are an error that names the path; so is a folder that is too large for a
// tree (tree_limits.h).
Result<Walk> walk(int root, const WalkOptions& options, const ParallelFor& parallel_for);

std::string join(std::string_view directory, std::string_view name);

}  // namespace weir::store
