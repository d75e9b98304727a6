// From a tree in the store to a directory.
//
// read_only: a tree of hardlinks to the objects, made once per tree and kept below stage/. It is published by
// rename, so it is whole or not there, and compared with its tree when a process first uses it again
// (stage_check.h), and again when a job has used it: a stage that differs is left behind and made again. Its
// files are the store's own inodes: it may only be bound read-only into a sandbox. private_copy: real copies
// in the session's directory, removed with the Stage. The job may do with it what it likes. All files and
// directories have the fixed mtime. Symlinks are made as they are recorded and never followed. Under the
// store's shared lock. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/base/result.h"
#include "core/store/directory_codec.h"
#include "core/store/epoch.h"
#include "core/store/object_files.h"
#include "core/store/parallel.h"
#include "core/store/pin.h"

namespace weir::store {

enum class StageMode : std::uint8_t { read_only, private_copy };

// A staged tree that lasts as long as this value and, if the store had a pin when it was staged, as long as
// that pin. Move-only; the Store must outlive it.
class Stage {
 public:
  Stage() = default;
  Stage(Stage&& other) noexcept { *this = std::move(other); }
  Stage& operator=(Stage&& other) noexcept;
  ~Stage();

  const std::string& path() const { return path_; }  // absolute
  const Digest& tree() const { return tree_; }

 private:
  friend class Stager;
  friend class Store;
  std::string path_;
  Digest tree_;
  int root_ = -1;
  std::pair<dev_t, ino_t> inode_{};  // of a cached tree
  std::string remove_;               // relative to the store; empty for a cached tree
  Pin pin_;                          // where the caller had none
};

class Stager {
 public:
  Stager(StoreDir& dir, ObjectFiles& objects, Epoch& epoch, const ParallelFor& parallel_for)
      : dir_(dir), objects_(objects), epoch_(epoch), parallel_for_(parallel_for) {}

  Result<Stage> stage(const Digest& tree, StageMode mode);
  // Compares a read-only stage with its tree once more.
  Result<bool> is_still_whole(const Stage& stage);
  // Into `directory`, which is made, or must be empty. Ordinary modes (0644, 0755).
  Status checkout(const Digest& tree, const std::string& directory);

 private:
  enum class Fill : std::uint8_t { links, copies };
  Result<std::string> publish_links(const Digest& tree);
  Result<bool> is_whole(const std::string& stage, const Digest& tree);
  void note_whole(const std::string& stage);
  std::pair<dev_t, ino_t> inode_of(const std::string& stage) const;
  Status fill(const Digest& tree, int directory, Fill how);
  Status fill_files(int directory, const FileNode* begin, const FileNode* end, Fill how);
  Status link_file(int directory, const FileNode& file);
  Status copy_file(int directory, const FileNode& file, mode_t mode);

  StoreDir& dir_;
  ObjectFiles& objects_;
  Epoch& epoch_;
  const ParallelFor& parallel_for_;
  std::mutex mutex_;
  std::unordered_set<std::string> whole_;  // stages that this process made or compared
};

}  // namespace weir::store
