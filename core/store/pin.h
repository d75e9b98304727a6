// A pin keeps what a run needs from gc: a file runs/<run> that lists roots and is flocked while the run
// lives. If the process dies, the kernel frees the lock, and the next gc takes the pin for stale and removes
// it.
//
// Everything a Store hands out (lookup, import, collect, put, merge, stage) is written to all of its live
// pins before the store's shared lock is given back. Pins of one Store are kept in Pins; a Pin is the
// move-only right to one. Any thread.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/store/digest.h"
#include "core/store/store_dir.h"

namespace weir::store {

enum class RootKind : char { tree = 'T', blob = 'B', key = 'K' };

struct Roots {
  std::vector<Digest> trees;
  std::vector<Digest> blobs;
  std::vector<Key> keys;
};

class Pins;

class Pin {
 public:
  Pin() = default;
  Pin(Pin&& other) noexcept = default;
  Pin& operator=(Pin&& other) noexcept;
  ~Pin() { release(); }
  // Gives everything back to gc. The Store must still live.
  void release();

 private:
  friend class Pins;
  struct File;
  Pin(Pins* owner, std::shared_ptr<File> file);
  Pins* owner_ = nullptr;
  std::shared_ptr<File> file_;
};

class Pins {
 public:
  explicit Pins(StoreDir& dir) : dir_(dir) {}

  // `run` is for people; names may repeat.
  Result<Pin> add(std::string_view run);
  bool empty() const;
  // Appends a root to every live pin of this process.
  Status keep(RootKind kind, std::string_view text);
  Status keep_tree(const Digest& digest) { return keep(RootKind::tree, digest.text()); }
  Status keep_blob(const Digest& digest) { return keep(RootKind::blob, digest.text()); }
  Status keep_key(const Key& key) { return keep(RootKind::key, key.hex()); }

 private:
  friend class Pin;
  void remove(const std::shared_ptr<Pin::File>& file);
  StoreDir& dir_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Pin::File>> files_;
};

struct PinSurvey {
  Roots roots;  // of all live runs of all processes
  std::size_t live = 0;
  std::vector<std::string> stale;  // names below the root, for removal
};
// Under the exclusive lock the answer is exact.
Result<PinSurvey> survey_pins(const StoreDir& dir);

}  // namespace weir::store
