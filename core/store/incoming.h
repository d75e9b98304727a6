// A blob on its way into the store, from somebody who may lie: a file under a temporary name, of which
// nothing is kept unless every byte of it is what its digest says. It may be hashed while it still comes, so
// that a large one costs no time in the end. One thread; whoever fills the file may be another. Dropped with
// its file unless the store accepted it, and not later than the store.
#pragma once

#include <memory>
#include <string>

#include "core/base/fd.h"
#include "core/store/digest.h"
#include "core/store/store_dir.h"

namespace weir::store {

class Incoming {
 public:
  static Result<Incoming> create(StoreDir& dir, const Digest& expected, bool executable);
  Incoming(Incoming&&) noexcept = default;
  Incoming& operator=(Incoming&& other) noexcept;
  ~Incoming() { discard(); }

  // To be filled from its start on.
  int fd() const { return fd_->get(); }
  // The file stays open for as long as this lives, whatever becomes of the blob.
  std::shared_ptr<const void> keeper() const { return fd_; }
  const Digest& expected() const { return expected_; }
  bool executable() const { return executable_; }

  // The first `bytes` of the file are final: looks at those that it did not see yet.
  Status look(std::uint64_t bytes);
  // Begins again with an empty file.
  Status restart();

 private:
  friend class Store;
  Incoming(StoreDir& dir, const Digest& expected, bool executable)
      : dir_(&dir), expected_(expected), executable_(executable) {}
  void discard();
  void start_writeback();
  // Whether the whole file is what was expected.
  Result<bool> is_right();

  StoreDir* dir_;
  Digest expected_;
  bool executable_;
  std::string name_;  // empty: there is no file any more
  std::shared_ptr<UniqueFd> fd_;
  std::unique_ptr<Hasher> hasher_;
  std::uint64_t looked_ = 0;
  std::uint64_t written_ = 0;  // on its way to the disk
};

}  // namespace weir::store
