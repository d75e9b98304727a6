// What pulling and pushing have in common: how a job is stopped and held, what it moved, and small files in
// memory.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/fd.h"
#include "core/model/remote.h"
#include "core/store/digest.h"

namespace weir {

// Holds a job that is suspended: it starts nothing until it may go on.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    opened_.notify_all();
  }
  void pass(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, stop, [this] { return !closed_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool closed_ = false;
};

struct TransferControl {
  std::stop_token stop;
  Gate& gate;
};

struct Moved {
  std::uint64_t blobs = 0;
  std::uint64_t bytes = 0;
  void add(std::uint64_t more) {
    ++blobs;
    bytes += more;
  }
};

RemoteName remote_name(const store::Digest& digest);
// Of the document whose hash is the key.
RemoteName remote_key(std::string_view document);
inline std::string_view hash_of(const RemoteName& name) { return {name.hash.data(), name.hash.size()}; }

// A file that is nowhere on disk.
class MemoryFile {
 public:
  static Result<MemoryFile> make(std::string_view bytes = {});
  int fd() const { return fd_->get(); }
  std::shared_ptr<const void> keeper() const { return fd_; }
  Result<std::string> read() const;
  bool clear() const;

 private:
  std::shared_ptr<UniqueFd> fd_;
};

}  // namespace weir
