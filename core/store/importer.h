// From a directory to a tree in the store. Files are read once, in parallel, small ones with a single read();
// large ones are hashed while they are copied. Unchanged files of a user's directory are not read at all
// (stat_index.h).
//
// import: a user's directory or file. Nothing of it is changed, moved or hardlinked.
// collect: a directory that weir owns (an install root). Its files are renamed into the store where that is
// safe, so it must not be used afterwards; nobody may write to it any more. Under the store's shared lock.
// Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/store/epoch.h"
#include "core/store/object_files.h"
#include "core/store/parallel.h"
#include "core/store/tree_walk.h"

namespace weir::store {

struct Imported {
  Digest tree;
  std::size_t files = 0;
  std::size_t read = 0;               // how many of them had to be read
  std::vector<std::string> stripped;  // paths that were setuid, setgid or sticky; the tree has no such bit
};

// What an import looked at: directories and files, each with what stat said before it was listed or read. As
// long as none of them has another stamp, an import gives the same tree.
struct SeenPath {
  std::string path;  // below what was imported, which is ""
  FileStamp stamp;
};
using SeenPaths = std::vector<SeenPath>;

class Importer {
 public:
  Importer(StoreDir& dir, ObjectFiles& objects, Epoch& epoch, const ParallelFor& parallel_for,
           std::function<std::int64_t()> now)
      : dir_(dir), objects_(objects), epoch_(epoch), parallel_for_(parallel_for), now_(std::move(now)) {}

  Result<Imported> import(const std::string& path, const Exclude& exclude, SeenPaths* seen = nullptr);
  Result<Imported> collect(const std::string& install_root);
  // The content of one file as a blob.
  Result<Digest> put_file(const std::string& path);

 private:
  Result<Imported> import_directory(const std::string& path, int fd, const Exclude& exclude, SeenPaths* seen);
  Result<Imported> import_file(const std::string& path, int fd, SeenPaths* seen);
  void apply_index(Walk& walk, const StatIndex& index);
  Status read_files(int root, Walk& walk, std::size_t& read);
  Status read_chunk(int root, WalkedDirectory& directory, std::size_t begin, std::size_t end);
  Status read_file(int directory_fd, const std::string& path, WalkedFile& file);
  Result<Digest> store_copy(int fd, const std::string& path, FileStat& stat);
  Result<Digest> put_small(int fd, const std::string& path, const FileStat& stat);
  Result<Digest> store_output(int directory_fd, int fd, const std::string& path, const WalkedFile& file);
  Result<Digest> write_directories(Walk& walk);
  Status save_index(const std::string& path, const std::string& stamp, std::int64_t taken_ns,
                    const Walk& walk, const StatIndex& before, std::size_t read);

  StoreDir& dir_;
  ObjectFiles& objects_;
  Epoch& epoch_;
  const ParallelFor& parallel_for_;
  std::function<std::int64_t()> now_;
};

}  // namespace weir::store
