// Reads an archive file entry by entry with libarchive. All formats and compressions of libarchive but
//   raw and empty: with them any file would be an archive
//   mtree: its entries are files of this machine
//   grzip, lrzip, lzop: these start programs of this machine
//   zip without its central directory, which has the modes and the links: it is cut off
//
// Names are the bytes of the archive. libarchive turns names that are marked as UTF-8 into those of the
// locale; for tar the locale C keeps them as they are (what cannot be converted stays), for the other formats
// it must be a UTF-8 one, and libarchive then makes composed characters (NFC) of decomposed ones. So a file
// is first read as tar, then as all others.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/exec/weir_transfer/trouble.h"

namespace weir::transfer {

struct Block {
  std::string_view bytes;
  std::uint64_t offset = 0;
};

class ArchiveReader {
 public:
  static Expected<ArchiveReader> open(UniqueFd file, std::string shown);

  // The next entry, until the next call; null at the end.
  Expected<archive_entry*> next();
  // False at the end of the data of the entry.
  Expected<bool> read(Block& block);
  // Read from disk so far, never more than the file has: an archive that points at the same bytes again and
  // again gets no credit for it.
  std::uint64_t bytes_in() const;

 private:
  struct Source;
  using Handle = std::unique_ptr<archive, int (*)(archive*)>;
  ArchiveReader(std::shared_ptr<Source> source, std::string shown);
  bool try_formats(bool tar);
  bool lacks_end_marker() const;
  tl::unexpected<Trouble> damaged() const;
  tl::unexpected<Trouble> cut_off() const;
  tl::unexpected<Trouble> encrypted() const;

  std::shared_ptr<Source> source_;  // libarchive keeps its address
  std::string shown_;
  Handle archive_{nullptr, archive_read_free};
  archive_entry* first_ = nullptr;  // found out with the format
  bool first_failed_ = false;
  bool at_end_ = false;
};

}  // namespace weir::transfer
