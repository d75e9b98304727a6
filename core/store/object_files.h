// The objects: files named by the SHA-256 of their content. Written under a temporary name, then renamed, so
// a name always has whole content (until the machine crashes: recovery.h). There are up to two inodes per
// digest, one executable (0555) and one not (0444), because hardlinks share their mode; the second is made
// when first needed.
//
// Every use of content checks it: read() and copy() hash the bytes they give (large ones by checksums.h),
// provide() hashes an inode that may have changed since it was last hashed (verified_inodes.h). has() and
// open() check type and size, has() also hashes an object whose mtime has moved. An object that does not
// match is dropped at once and noted in take_damaged(); the caller sees "not found", never the wrong bytes.
//
// Under the store's shared lock. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/store/checksums.h"
#include "core/store/digest.h"
#include "core/store/hash_pipe.h"
#include "core/store/store_dir.h"
#include "core/store/verified_inodes.h"

namespace weir::store {

class ObjectFiles {
 public:
  ObjectFiles(StoreDir& dir, VerifiedInodes& verified, Checksums& checksums)
      : dir_(dir), verified_(verified), checksums_(checksums) {}

  bool has(const Digest& digest);
  // Does nothing if the object is there.
  Status put(const Digest& digest, std::string_view bytes, bool executable);
  // Reads once: hashes while it writes to a temporary name. For files too large for memory.
  Result<Digest> put_stream(int from, std::uint64_t expected_size, bool executable);
  // Takes a file that was written under a temporary name and is known to have that content.
  Status take(const std::string& temporary, int fd, const Digest& digest, bool executable);
  // Takes a file of weir's own (an output) by renaming it; its mode and mtime become the object's. EXDEV as
  // `false`.
  Result<bool> adopt(int directory, const char* name, int fd, const Digest& digest, bool executable);

  Result<UniqueFd> open(const Digest& digest);  // verified by its type and size
  Result<UniqueFd> open_verified(const Digest& digest);
  // Writes the content to a new, empty file.
  Status copy(const Digest& digest, int to);
  Result<std::string> read(const Digest& digest);
  // Makes sure that the inode of that kind is there and has the right content, mode and time, for
  // hardlinking.
  Status provide(const Digest& digest, bool executable);
  // Whether a file of the store's own (an object, or a file of a stage) has this content, and the mode and
  // time of an object.
  bool has_content(int directory, const char* name, const Digest& digest, bool executable);
  VerifiedInodes& verified() { return verified_; }
  Checksums& checksums() { return checksums_; }
  // Of a large object whose checksum is known.
  std::optional<Checksum> checksum_of(const Digest& digest);
  // Of a file that was hashed on its way into the store.
  void learn(const Hashed& hashed);
  void drop(const Digest& digest);

  // Digests that were dropped since the last call.
  std::vector<Digest> take_damaged();

  // Relative to the store's root.
  static std::string name_of(const Sha256& hash, bool executable);

 private:
  // As has_content; an error if the machine lacks what is needed to look (descriptors, memory), or weir is
  // interrupted: then nothing is known.
  Result<bool> is_content(int directory, const char* name, const Digest& digest, bool executable);
  bool has_inode(const Digest& digest, bool executable);
  int rename_in(int directory, const char* from, const std::string& object);
  void note_damaged(const Digest& digest);
  void note_verified(int fd, const Digest& digest);
  Result<bool> has_digest(int fd, const Digest& digest);
  Result<bool> copy_verified(int from, int to, const Digest& digest);
  Status publish(const std::string& temporary, int fd, const Digest& digest, bool executable);

  StoreDir& dir_;
  VerifiedInodes& verified_;
  Checksums& checksums_;
  std::mutex mutex_;
  std::vector<Digest> damaged_;
};

// "object <digest> is missing from the cache ..", Reason::not_found: a miss.
tl::unexpected<Error> fail_missing(const Digest& digest);

}  // namespace weir::store
