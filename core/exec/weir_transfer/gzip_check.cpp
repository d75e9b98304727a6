#include "core/exec/weir_transfer/gzip_check.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <vector>

#include "core/exec/weir_transfer/copy_file.h"

namespace weir::transfer {
namespace {

constexpr unsigned char kMagic[] = {0x1f, 0x8b};

// Members follow each other; what comes behind the last one (mostly zeros) is ignored, as gzip does.
class GzipCheck {
 public:
  explicit GzipCheck(std::string_view shown) : shown_(shown), out_(1 << 18) {
    good_ = ::inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK;
  }
  ~GzipCheck() { ::inflateEnd(&stream_); }
  GzipCheck(const GzipCheck&) = delete;
  GzipCheck& operator=(const GzipCheck&) = delete;

  Done take(std::string_view bytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    while (good_ && !over_ && stream_.avail_in > 0) {
      if (between_) begin_member();
      if (!over_) inflate_some();
    }
    return good_ ? Done() : refuse(stream_.msg ? stream_.msg : "wrong data");
  }
  Done end() const { return between_ ? Done() : refuse("it ends too early"); }

 private:
  void begin_member() {
    over_ = *stream_.next_in != kMagic[0];
    if (!over_) good_ = ::inflateReset(&stream_) == Z_OK;
    between_ = over_;
  }
  void inflate_some() {
    stream_.next_out = out_.data();
    stream_.avail_out = static_cast<uInt>(out_.size());
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    between_ = result == Z_STREAM_END;
    good_ = between_ || result == Z_OK || result == Z_BUF_ERROR;
  }
  Done refuse(std::string_view why) const {
    return trouble(TransferExit::source,
                   fmt::format("the archive '{}' is damaged or cut off: {}", shown_, why));
  }

  std::string_view shown_;
  std::vector<Bytef> out_;
  z_stream stream_{};
  bool good_ = false;
  bool between_ = false;  // a member has ended
  bool over_ = false;
};

}  // namespace

Done check_gzip(int file, std::string_view shown) {
  unsigned char first[2] = {};
  if (::pread(file, first, sizeof first, 0) != sizeof first) return {};
  if (first[0] != kMagic[0] || first[1] != kMagic[1]) return {};
  GzipCheck check(shown);
  auto read = read_all(file, shown, [&](std::string_view bytes) { return check.take(bytes); });
  return read ? check.end() : read;
}

}  // namespace weir::transfer
