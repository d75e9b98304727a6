#include "plugins/remotes/dir/copy.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "plugins/remotes/dir/system_call.h"

namespace weir::dir {
namespace {

constexpr std::uint64_t kPiece = 1 << 20;
constexpr std::uint64_t kBuffer = 256 << 10;

class Copy {
 public:
  Copy(int from, int to, std::uint64_t size) : from_(from), to_(to), size_(size) {}

  std::uint64_t done() const { return done_; }
  bool whole() const { return done_ == size_; }

  // The kernel's own way shares blocks or stays on the server where the file system can. Not all can do it
  // for two files, and some say that there is nothing where there is: then it is read and written.
  ssize_t piece() {
    if (!by_hand_) {
      const auto copied = in_kernel();
      if (copied > 0) return copied;
      by_hand_ = true;
    }
    return by_hand();
  }

 private:
  ssize_t in_kernel() {
    auto in = static_cast<off_t>(done_), out = in;
    return count(persistent(
        [&] { return ::copy_file_range(from_, &in, to_, &out, std::min(kPiece, size_ - done_), 0); }));
  }

  ssize_t by_hand() {
    buffer_.resize(kBuffer);
    const auto got = persistent([&] {
      return ::pread(from_, buffer_.data(), std::min(kBuffer, size_ - done_), static_cast<off_t>(done_));
    });
    if (got <= 0) return got;
    return count(persistent([&] {
      return ::pwrite(to_, buffer_.data(), static_cast<std::size_t>(got), static_cast<off_t>(done_));
    }));
  }

  ssize_t count(ssize_t copied) {
    if (copied > 0) done_ += static_cast<std::uint64_t>(copied);
    return copied;
  }

  const int from_;
  const int to_;
  const std::uint64_t size_;
  std::uint64_t done_ = 0;
  bool by_hand_ = false;
  std::vector<char> buffer_;
};

}  // namespace

CopyEnd copy_bytes(int from, int to, std::uint64_t size, const GoOn& go_on) {
  Copy copy(from, to, size);
  while (!copy.whole()) {
    const auto copied = copy.piece();
    if (copied < 0) return CopyEnd::failed;
    if (copied == 0) return CopyEnd::too_short;
    if (!go_on(copy.done())) return CopyEnd::stopped;
  }
  return CopyEnd::whole;
}

}  // namespace weir::dir
