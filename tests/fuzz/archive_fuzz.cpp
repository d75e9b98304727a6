// Unpacking of an archive. libarchive is not ours; names, links, modes and sizes of entries are. Most inputs
// are choices of which a tar is made; an odd first byte takes the bytes for an archive as they are. After a
// success nothing of the tree leads out of it, and nothing beside it has changed.
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>

#include "core/exec/weir_transfer/entry_name.h"
#include "core/exec/weir_transfer/unpack.h"
#include "tests/fuzz/fuzz_target.h"

namespace weir::transfer {

namespace {

namespace fs = std::filesystem;

std::string entry_text(fuzz::Choices& choices) {
  static constexpr std::string_view kParts[] = {"a",   "b", "..",    ".",    "",   "c",
                                                "a/b", "/", "../..", "\xff", "d/", "link"};
  std::string text;
  for (auto left = 1 + choices.byte() % 4; left > 0; --left) {
    const auto which = choices.byte();
    if (!text.empty() || which % 16 == 15) text += '/';
    text += which < 200 ? std::string(kParts[which % std::size(kParts)]) : std::string(choices.text());
  }
  return text;
}

std::string built_archive(fuzz::Choices& choices) {
  const std::unique_ptr<archive, int (*)(archive*)> out(archive_write_new(), archive_write_free);
  const auto format = choices.byte() % 4;
  format == 0   ? archive_write_set_format_gnutar(out.get())
  : format == 1 ? archive_write_set_format_pax(out.get())
  : format == 2 ? archive_write_set_format_zip(out.get())
                : archive_write_set_format_cpio(out.get());
  if (format == 2) archive_write_zip_set_compression_store(out.get());
  else if (choices.byte() % 8 == 0) archive_write_add_filter_gzip(out.get());
  std::string bytes(1 << 16, '\0');
  std::size_t used = 0;
  archive_write_set_bytes_in_last_block(out.get(), 1);
  if (archive_write_open_memory(out.get(), bytes.data(), bytes.size(), &used) != ARCHIVE_OK) return {};
  for (int entries = 0; !choices.empty() && entries < 12; ++entries) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    archive_entry_set_pathname(entry.get(), entry_text(choices).c_str());
    static constexpr unsigned kTypes[] = {AE_IFREG, AE_IFREG, AE_IFDIR, AE_IFLNK,
                                          AE_IFREG, AE_IFCHR, AE_IFIFO, AE_IFLNK};
    const auto type = choices.byte() % 8;
    archive_entry_set_filetype(entry.get(), kTypes[type]);
    archive_entry_set_perm(entry.get(), static_cast<mode_t>(choices.number() & 07777));
    if (kTypes[type] == AE_IFLNK) archive_entry_set_symlink(entry.get(), entry_text(choices).c_str());
    if (type == 4) archive_entry_set_hardlink(entry.get(), entry_text(choices).c_str());
    const auto content = kTypes[type] == AE_IFREG ? choices.text() : std::string_view();
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    if (archive_write_header(out.get(), entry.get()) == ARCHIVE_OK && !content.empty())
      archive_write_data(out.get(), content.data(), content.size());
  }
  archive_write_close(out.get());
  bytes.resize(used);
  return bytes;
}

void check_unpacked(const fs::path& root) {
  const auto real_root = fs::canonical(root).string();
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    struct stat info {};
    WEIR_ASSERT(::lstat(entry.path().c_str(), &info) == 0, "{}", entry.path().string());
    const auto mode = info.st_mode & 07777;
    if (S_ISLNK(info.st_mode)) {
      std::error_code broken;
      const auto real = fs::weakly_canonical(entry.path(), broken).string();
      WEIR_ASSERT(broken || real == real_root || real.starts_with(real_root + "/"), "{} leads to {}",
                  entry.path().string(), real);
    } else if (S_ISDIR(info.st_mode)) {
      WEIR_ASSERT(mode == 0755, "{} has mode {:o}", entry.path().string(), mode);
    } else {
      WEIR_ASSERT(S_ISREG(info.st_mode) && (mode == 0644 || mode == 0755), "{} has mode {:o}",
                  entry.path().string(), info.st_mode);
    }
  }
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

WEIR_FUZZ_TARGET(archive) {
  static const auto top = [] {
    ::umask(022);
    const auto path = fuzz::folder() + "/archive";
    fs::create_directories(path);
    return path;
  }();
  fuzz::Choices choices(input);
  const auto how = choices.byte();
  const auto strip = static_cast<std::uint32_t>(how >> 1) % 3;
  const bool raw = how % 2 == 1;
  const auto bytes = raw ? std::string(choices.rest()) : built_archive(choices);
  if (raw) {
    if (const auto parts = split_entry_name(bytes))
      for (const auto part : *parts)
        WEIR_ASSERT(!part.empty() && part != "." && part != ".." && part.find('/') == part.npos, "{}", bytes);
    (void)check_link_target(bytes, strip);
  }
  fuzz::write_file(top + "/in", bytes);
  const auto done = unpack({{"", top + "/in"}, {top, "out"}, strip});
  if (done) check_unpacked(top + "/out");
  else
    WEIR_ASSERT(!done.error().message.empty() && !fs::exists(top + "/out"), "something is left of a failure");
  fs::remove_all(top + "/out");
  WEIR_ASSERT(files_in(top) == 1, "something beside the folder");
}

}  // namespace weir::transfer
