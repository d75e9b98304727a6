#include "core/store/hash_pipe.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/base/interruption.h"
#include "core/store/file_tools.h"

namespace weir::store {

namespace {

constexpr std::size_t kBuffer = 256 * 1024;
constexpr std::size_t kBuffers = 4;
// Below this a thread costs more than it saves.
constexpr std::uint64_t kWorthAThread = 4 << 20;

// Moves the file on by one buffer. Its bytes; none at the end.
class Mover {
 public:
  Mover(int from, int to) : from_(from), to_(to) {}
  Result<std::size_t> next(char* buffer) {
    if (interrupted()) return fail_interrupted();
    ssize_t got;
    do got = ::pread(from_, buffer, kBuffer, at_);
    while (got < 0 && errno == EINTR);
    if (got < 0) return fail_errno("reading a file into the store");
    at_ += got;
    const auto size = static_cast<std::size_t>(got);
    if (to_ < 0) return size;
    if (const int error = write_all(to_, {buffer, size}))
      return fail_file("writing a file into the store", error);
    return size;
  }

 private:
  int from_;
  int to_;
  off_t at_ = 0;
};

// Both at once, while the bytes are in the cache.
class LargeHasher {
 public:
  void update(std::string_view bytes) {
    digest_.update(bytes);
    checksum_.update(bytes);
  }
  Hashed finish() { return {digest_.finish(), checksum_.finish()}; }

 private:
  Hasher digest_;
  ChecksumHasher checksum_;
};

// Buffers between the thread that moves and the one that hashes.
class Pipe {
 public:
  Pipe() : memory_(std::make_unique<char[]>(kBuffers * kBuffer)) {}

  void fill(Mover mover) {
    for (std::size_t i = 0;; ++i) {
      auto& buffer = buffers_[i % kBuffers];
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !buffer.full; });
      }
      auto moved = mover.next(memory_.get() + i % kBuffers * kBuffer);
      const std::lock_guard lock(mutex_);
      buffer.size = moved ? *moved : 0;
      buffer.full = true;
      if (!moved) error_ = moved.error();
      changed_.notify_all();
      if (buffer.size == 0) return;
    }
  }

  Status hash(LargeHasher& hasher) {
    for (std::size_t i = 0;; ++i) {
      auto& buffer = buffers_[i % kBuffers];
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return buffer.full; });
      }
      if (buffer.size == 0) break;
      hasher.update({memory_.get() + i % kBuffers * kBuffer, buffer.size});
      const std::lock_guard lock(mutex_);
      buffer.full = false;
      changed_.notify_all();
    }
    if (error_) return tl::unexpected(*error_);
    return {};
  }

 private:
  struct Buffer {
    std::size_t size = 0;  // 0: the end, or an error
    bool full = false;
  };
  std::unique_ptr<char[]> memory_;
  std::array<Buffer, kBuffers> buffers_;
  std::optional<Error> error_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

template <class AnyHasher>
Status hash_alone(Mover mover, AnyHasher& hasher) {
  thread_local const auto buffer = std::make_unique<char[]>(kBuffer);
  for (;;) {
    const auto got = mover.next(buffer.get());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return {};
    hasher.update({buffer.get(), *got});
  }
}

// Where the file system can share blocks, the copy is there at once and only hashed.
Mover mover_of(int from, int to) {
  const bool shared = to >= 0 && ::ioctl(to, FICLONE, from) == 0;
  return shared ? Mover(to, -1) : Mover(from, to);
}

Status hash_in_two_threads(const Mover& mover, LargeHasher& hasher) {
  Pipe pipe;
  std::jthread moving;
  try {
    moving = std::jthread([&] { pipe.fill(mover); });
  } catch (const std::system_error&) {
    return hash_alone(mover, hasher);  // a limit on threads: this one does it all
  }
  return pipe.hash(hasher);
}

}  // namespace

Result<Hashed> hash_file(int from, int to, std::uint64_t expected_size) {
  const auto mover = mover_of(from, to);
  if (expected_size < Checksums::kLarge) {
    Hasher hasher;
    if (auto done = hash_alone(mover, hasher); !done) return tl::unexpected(done.error());
    return Hashed{hasher.finish()};
  }
  LargeHasher hasher;
  auto done = expected_size < kWorthAThread ? hash_alone(mover, hasher) : hash_in_two_threads(mover, hasher);
  if (!done) return tl::unexpected(done.error());
  return hasher.finish();
}

Result<Checksum> checksum_file(int from, int to) {
  ChecksumHasher hasher;
  if (auto done = hash_alone(mover_of(from, to), hasher); !done) return tl::unexpected(done.error());
  return hasher.finish();
}

}  // namespace weir::store
