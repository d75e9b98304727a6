// Inodes of the store whose content was hashed, so that a file is hashed again only if it may have changed.
//
// An entry is an inode number, its ctime and the hash of its content. Every write, truncation, chmod and
// change of times moves the ctime, and so do link() and unlink(): after its own link weir adds the inode
// again. Whatever else moved the ctime makes the inode unknown, and it is hashed before it is used. Not seen:
// a change of the bytes on the disk below the file system, and a change within the clock tick (at most 10 ms)
// of weir's own link or write that also restores the mtime.
//
// The linked inodes are saved in the file `verified`, for this boot only: after a boot everything is hashed
// at its first use. Two processes may overwrite each other's file; a lost entry costs one hashing. Any
// thread.
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/store/digest.h"
#include "core/store/store_dir.h"

namespace weir::store {

class VerifiedInodes {
 public:
  VerifiedInodes(StoreDir& dir, std::string boot_id) : dir_(dir), boot_id_(std::move(boot_id)) {}

  bool knows(const struct stat& info, const Sha256& hash);
  void add(const struct stat& info, const Sha256& hash);
  void add_linked(const struct stat& info, const Sha256& hash);
  void forget(std::uint64_t inode);
  // Writes the linked inodes down if there are new ones. Best effort: without the file they are hashed again.
  void save();

  // Held from the check of an object until its new link is added: another thread's link moves the ctime.
  std::unique_lock<std::mutex> turn(const Sha256& hash) {
    return std::unique_lock(turns_[static_cast<unsigned char>(hash[0])]);
  }

  static constexpr const char* kFile = "verified";

 private:
  struct Known {
    std::int64_t ctime_ns = 0;
    Sha256 hash;
    bool linked = false;
  };
  void load();  // under the mutex, once

  StoreDir& dir_;
  std::string boot_id_;
  std::array<std::mutex, 256> turns_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Known> known_;
  bool loaded_ = false;
  bool changed_ = false;
};

}  // namespace weir::store
