#include "plugins/remotes/dir/copy.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "plugins/remotes/dir/system_call.h"

namespace weir::dir {
namespace {

constexpr std::uint64_t kPiece = 1 << 20;
constexpr std::uint64_t kBuffer = 256 << 10;

class Copy {
 public:
  Copy(int from, int to, std::uint64_t size) : from_(from), to_(to), size_(size) {}
  virtual ~Copy() = default;
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  // The next bytes: how many, 0 at the end of the source, or -1 as errno says.
  virtual ssize_t piece() = 0;

  CopyEnd run(const GoOn& go_on) {
    while (done_ < size_) {
      const auto copied = piece();
      if (copied < 0) return CopyEnd::failed;
      if (copied == 0) return CopyEnd::too_short;
      done_ += static_cast<std::uint64_t>(copied);
      if (!go_on(done_)) return CopyEnd::stopped;
    }
    return CopyEnd::whole;
  }

 protected:
  ssize_t in_kernel() const {
    auto in = static_cast<off_t>(done_), out = in;
    return persistent(
        [&] { return ::copy_file_range(from_, &in, to_, &out, std::min(kPiece, size_ - done_), 0); });
  }
  // Into the buffer.
  ssize_t read(int from) {
    if (!buffer_) buffer_ = std::make_unique<char[]>(kBuffer);
    return persistent([&] {
      return ::pread(from, buffer_.get(), std::min(kBuffer, size_ - done_), static_cast<off_t>(done_));
    });
  }
  ssize_t write(ssize_t bytes) const {
    return persistent([&] {
      return ::pwrite(to_, buffer_.get(), static_cast<std::size_t>(bytes), static_cast<off_t>(done_));
    });
  }
  const char* buffer() const { return buffer_.get(); }

  const int from_;
  const int to_;

 private:
  const std::uint64_t size_;
  std::uint64_t done_ = 0;
  std::unique_ptr<char[]> buffer_;
};

// The kernel's own way shares blocks or stays on the server where the file system can. Not all can do it
// for two files, and some say that there is nothing where there is: then it is read and written.
class PlainCopy final : public Copy {
 public:
  using Copy::Copy;
  ssize_t piece() override {
    if (!by_hand_) {
      const auto copied = in_kernel();
      if (copied > 0) return copied;
      by_hand_ = true;
    }
    const auto got = read(from_);
    return got > 0 ? write(got) : got;
  }

 private:
  bool by_hand_ = false;
};

// Where the file system can share blocks, the copy is there at once and only hashed.
class HashedCopy final : public Copy {
 public:
  HashedCopy(int from, int to, std::uint64_t size)
      : Copy(from, to, size),
        shared_(::ioctl(to, FICLONE, from) == 0 && ::ftruncate(to, static_cast<off_t>(size)) == 0) {
    XXH3_128bits_reset(&hash_);
  }
  ssize_t piece() override {
    auto got = read(shared_ ? to_ : from_);
    if (got > 0 && !shared_) got = write(got);
    if (got > 0) XXH3_128bits_update(&hash_, buffer(), static_cast<std::size_t>(got));
    return got;
  }
  bool has(const std::array<std::uint8_t, 16>& checksum) const {
    XXH128_canonical_t found;
    XXH128_canonicalFromHash(&found, XXH3_128bits_digest(&hash_));
    static_assert(sizeof found.digest == std::tuple_size_v<std::array<std::uint8_t, 16>>);
    return std::memcmp(found.digest, checksum.data(), checksum.size()) == 0;
  }

 private:
  const bool shared_;
  XXH3_state_t hash_;
};

}  // namespace

CopyEnd copy_bytes(int from, int to, std::uint64_t size, const GoOn& go_on) {
  return PlainCopy(from, to, size).run(go_on);
}

CopyEnd copy_verified(int from, int to, std::uint64_t size, const std::array<std::uint8_t, 16>& checksum,
                      const GoOn& go_on) {
  HashedCopy copy(from, to, size);
  const auto end = copy.run(go_on);
  return end == CopyEnd::whole && !copy.has(checksum) ? CopyEnd::mismatch : end;
}

}  // namespace weir::dir
