// libarchive, loaded when an archive is written: with what it needs (libxml2, ICU, nettle, five compressors)
// it took 1.6 ms of CPU time to load into an empty program, and only `weir checkout --tar` uses it.
// weir-transfer, which is always beside weir, is linked with the same library, so it is there wherever weir
// is.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "core/base/result.h"

namespace weir::cli {

struct ArchiveLibrary {
  decltype(&::archive_write_new) write_new;
  decltype(&::archive_write_free) write_free;
  decltype(&::archive_write_set_format_pax_restricted) write_set_format_pax_restricted;
  decltype(&::archive_write_set_options) write_set_options;
  decltype(&::archive_write_open_filename) write_open_filename;
  decltype(&::archive_write_header) write_header;
  decltype(&::archive_write_data) write_data;
  decltype(&::archive_write_close) write_close;
  decltype(&::archive_error_string) error_string;
  decltype(&::archive_entry_new) entry_new;
  decltype(&::archive_entry_free) entry_free;
  decltype(&::archive_entry_set_pathname) entry_set_pathname;
  decltype(&::archive_entry_set_filetype) entry_set_filetype;
  decltype(&::archive_entry_set_perm) entry_set_perm;
  decltype(&::archive_entry_set_size) entry_set_size;
  decltype(&::archive_entry_set_mtime) entry_set_mtime;
  decltype(&::archive_entry_set_symlink) entry_set_symlink;
};

// Loaded once, and for the rest of the process.
Result<const ArchiveLibrary*> archive_library();

}  // namespace weir::cli
