// Fast checksums of large objects. SHA-256 hashes about 2 GB a second, less than a file can be copied with;
// to verify a large object at each checkout and push would double their time. XXH3 with 128 bits costs a
// tenth, and finds every accidental change. It does not protect against someone who changes an object on
// purpose and can compute collisions; whoever can write to the store can forge records as well, and a remote
// is verified by SHA-256.
//
// The checksum is a property of the content, so an entry holds for ever. Learnt when a file is hashed by
// SHA-256; kept in the file `checksums`. Two processes may overwrite each other's file: an object whose entry
// is lost, or whose checksum differs, is hashed by SHA-256. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/store/digest.h"
#include "core/store/store_dir.h"

namespace weir::store {

using Checksum = std::array<unsigned char, 16>;

class ChecksumHasher {
 public:
  ChecksumHasher();
  ~ChecksumHasher();
  ChecksumHasher(const ChecksumHasher&) = delete;
  ChecksumHasher& operator=(const ChecksumHasher&) = delete;
  void update(std::string_view bytes);
  Checksum finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Checksums {
 public:
  explicit Checksums(StoreDir& dir) : dir_(dir) {}

  static constexpr std::uint64_t kLarge = 1 << 20;  // smaller objects have none
  static constexpr const char* kFile = "checksums";

  std::optional<Checksum> find(const Sha256& hash);
  void learn(const Sha256& hash, const Checksum& checksum);
  void forget(const Sha256& hash);
  // Best effort: without the file objects are hashed by SHA-256.
  void save();
  // Only these objects are left in the store.
  void keep_only(const std::unordered_set<Sha256, HashOf>& objects);

 private:
  void load();  // under the mutex, once

  StoreDir& dir_;
  std::mutex mutex_;
  std::unordered_map<Sha256, Checksum, HashOf> known_;
  bool loaded_ = false;
  bool changed_ = false;
};

}  // namespace weir::store
