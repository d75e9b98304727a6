#include "core/exec/weir_transfer/archive_reader.h"

#include <errno.h>
#include <fmt/format.h>
#include <locale.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace weir::transfer {
namespace {

void support_filters(archive* reader) {
  archive_read_support_filter_bzip2(reader);
  archive_read_support_filter_compress(reader);
  archive_read_support_filter_gzip(reader);
  archive_read_support_filter_lz4(reader);
  archive_read_support_filter_lzip(reader);
  archive_read_support_filter_lzma(reader);
  archive_read_support_filter_rpm(reader);
  archive_read_support_filter_uu(reader);
  archive_read_support_filter_xz(reader);
  archive_read_support_filter_zstd(reader);
}

void support_other_formats(archive* reader) {
  archive_read_support_format_7zip(reader);
  archive_read_support_format_ar(reader);
  archive_read_support_format_cab(reader);
  archive_read_support_format_cpio(reader);
  archive_read_support_format_iso9660(reader);
  archive_read_support_format_lha(reader);
  archive_read_support_format_rar(reader);
  archive_read_support_format_rar5(reader);
  archive_read_support_format_warc(reader);
  archive_read_support_format_xar(reader);
  archive_read_support_format_zip_seekable(reader);
}

}  // namespace

struct ArchiveReader::Source {
  UniqueFd file;
  std::uint64_t size = 0;
  std::uint64_t read_bytes = 0;
  std::array<char, 1 << 17> buffer;

  static la_ssize_t read(archive* reader, void* self, const void** bytes) {
    auto& source = *static_cast<Source*>(self);
    ssize_t got;
    do got = ::read(source.file.get(), source.buffer.data(), source.buffer.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) archive_set_error(reader, errno, "reading the archive failed");
    else source.read_bytes += static_cast<std::uint64_t>(got);
    *bytes = source.buffer.data();
    return got;
  }
  static la_int64_t seek(archive*, void* self, la_int64_t offset, int whence) {
    const auto at = ::lseek(static_cast<Source*>(self)->file.get(), offset, whence);
    return at < 0 ? ARCHIVE_FATAL : at;
  }
};

ArchiveReader::ArchiveReader(std::shared_ptr<Source> source, std::string shown)
    : source_(std::move(source)), shown_(std::move(shown)) {}

Expected<ArchiveReader> ArchiveReader::open(UniqueFd file, std::string shown) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_trouble("reading", shown);
  auto source = std::make_shared<Source>();
  source->file = std::move(file);
  source->size = static_cast<std::uint64_t>(info.st_size);
  ArchiveReader reader(std::move(source), std::move(shown));
  const bool tar = reader.try_formats(true);
  // A file that begins with zeros is an empty tar, and may be an image of a disc.
  if (tar && !reader.at_end_) return reader;
  if (reader.try_formats(false) || (tar && reader.try_formats(true))) return reader;
  return trouble(TransferExit::source,
                 fmt::format("'{}' is no archive that weir knows (tar with its compressions, zip, 7z, "
                             "cpio and others)",
                             reader.shown_));
}

// True if a format knows the file, whatever it then says of its first entry.
bool ArchiveReader::try_formats(bool tar) {
  ::setlocale(LC_CTYPE, tar ? "C" : "C.UTF-8");
  ::lseek(source_->file.get(), 0, SEEK_SET);
  source_->read_bytes = 0;
  archive_ = Handle(archive_read_new(), archive_read_free);
  support_filters(archive_.get());
  if (tar) archive_read_support_format_tar(archive_.get());
  else support_other_formats(archive_.get());
  archive_read_set_read_callback(archive_.get(), Source::read);
  archive_read_set_seek_callback(archive_.get(), Source::seek);
  archive_read_set_callback_data(archive_.get(), source_.get());
  if (archive_read_open1(archive_.get()) != ARCHIVE_OK) return false;
  const int result = archive_read_next_header(archive_.get(), &first_);
  at_end_ = result == ARCHIVE_EOF;
  first_failed_ = !at_end_ && result != ARCHIVE_OK && result != ARCHIVE_WARN;
  if (first_failed_) first_ = nullptr;
  return archive_format(archive_.get()) != 0;
}

Expected<archive_entry*> ArchiveReader::next() {
  if (at_end_) return nullptr;
  auto* entry = std::exchange(first_, nullptr);
  if (!entry) {
    if (std::exchange(first_failed_, false)) return damaged();
    const int result = archive_read_next_header(archive_.get(), &entry);
    at_end_ = result == ARCHIVE_EOF;
    if (at_end_ && lacks_end_marker()) return cut_off();
    if (at_end_) return nullptr;
    // A warning is about things that are not used here (owners, attributes) or about names, which are looked
    // at anyway.
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return damaged();
  }
  if (archive_entry_is_encrypted(entry)) return encrypted();
  return entry;
}

Expected<bool> ArchiveReader::read(Block& block) {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  const int result = archive_read_data_block(archive_.get(), &bytes, &size, &offset);
  if (result == ARCHIVE_EOF) return false;
  if (result != ARCHIVE_OK) return damaged();
  block = {{static_cast<const char*>(bytes), size},
           static_cast<std::uint64_t>(std::max<la_int64_t>(0, offset))};
  return true;
}

std::uint64_t ArchiveReader::bytes_in() const { return std::min(source_->read_bytes, source_->size); }

tl::unexpected<Trouble> ArchiveReader::damaged() const {
  if (archive_read_has_encrypted_entries(archive_.get()) > 0) return encrypted();
  const char* detail = archive_error_string(archive_.get());
  return trouble(TransferExit::source, fmt::format("the archive '{}' is damaged or cut off: {}", shown_,
                                                   shown(detail ? detail : "no reason is known")));
}

// At the end of a tar. Zeros in the place of a header are its end marker; libarchive takes a file that just
// ends there for whole.
bool ArchiveReader::lacks_end_marker() const {
  const bool tar = (archive_format(archive_.get()) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
  return tar && archive_filter_bytes(archive_.get(), 0) == archive_read_header_position(archive_.get());
}

tl::unexpected<Trouble> ArchiveReader::cut_off() const {
  return trouble(TransferExit::source,
                 fmt::format("the archive '{}' is cut off: it ends without the end marker of a tar", shown_));
}

tl::unexpected<Trouble> ArchiveReader::encrypted() const {
  return trouble(TransferExit::source,
                 fmt::format("the archive '{}' is encrypted, which weir cannot read", shown_));
}

}  // namespace weir::transfer
