// The store's directory as its parts see it: a descriptor of its root, the Filesystem, and a place for
// temporary names.
//
//   format                 "weir-store 1"; a newer one is refused
//   objects/ab/<62 hex>    content, mode 0444; with ".x" appended the executable inode, mode 0555. One mtime
//   for all. records/<key>          artifact records and aliases; their mtime is the last use
//   stage/<generation>/<tree>/   cached hardlink trees
//   stat/<hash of a path>  the stat index of an imported directory
//   tmp/<session>/         temporary names of one open store; the directory is flocked while it lives
//   locks/<bucket>, runs/<run>   key locks and pins (key_lock.h, pin.h)
//   lock, turnstile        the lock between gc and everybody else (store_lock.h)
//   epoch, generation, boot      see epoch.h
//   checksums              fast checksums of large objects (checksums.h)
//   verified               inodes that need no hashing before they are linked (verified_inodes.h)
//
// Owned by Store; shared by reference with all parts. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/store/digest.h"
#include "core/store/filesystem.h"

namespace weir::store {

class StoreDir {
 public:
  // Opens or creates the layout.
  static Result<std::unique_ptr<StoreDir>> open(const std::string& path, Filesystem& files);
  ~StoreDir();
  StoreDir(const StoreDir&) = delete;
  StoreDir& operator=(const StoreDir&) = delete;

  // Makes the session directory; before this, nothing below may be called. Under the store's shared lock, or
  // gc takes the new directory for a stale one.
  Status start_session();

  const std::string& path() const { return path_; }
  int root() const { return root_.get(); }
  Filesystem& files() const { return files_; }
  dev_t device() const { return device_; }

  // A name below tmp/ that nobody has; relative to root().
  std::string temporary();
  // Writes a small file under a temporary name and renames it: whole or not there. Not synced.
  Status replace_file(const std::string& name, std::string_view bytes);
  Status sync() const;

 private:
  StoreDir(std::string path, Filesystem& files) : path_(std::move(path)), files_(files) {}
  Status open_root();
  Status check_format();
  Status create_layout();

  std::string path_;
  Filesystem& files_;
  UniqueFd root_;
  dev_t device_ = 0;
  std::string session_;  // "tmp/<name>"
  UniqueFd session_fd_;  // flocked: gc removes sessions whose lock is free
  std::atomic<std::uint64_t> next_{0};
};

// 64 random bits as hex: names of sessions, epochs and generations.
std::string random_name();

}  // namespace weir::store
