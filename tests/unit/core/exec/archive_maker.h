// Writes archives for tests, hostile ones too: names and links are taken as they are given.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace weir {

class ArchiveMaker {
 public:
  explicit ArchiveMaker(const std::string& path, const char* format = "gnutar", const char* filter = nullptr,
                        const char* options = nullptr) {
    check(archive_write_set_format_by_name(writer_.get(), format));
    if (filter) check(archive_write_add_filter_by_name(writer_.get(), filter));
    if (options) check(archive_write_set_options(writer_.get(), options));
    if (std::string_view(options ? options : "").find("encryption") != std::string_view::npos)
      archive_write_set_passphrase(writer_.get(), "secret");
    check(archive_write_open_filename(writer_.get(), path.c_str()));
  }

  ArchiveMaker& file(const std::string& name, const std::string& content = {}, mode_t mode = 0644) {
    return add(name, AE_IFREG, mode, content, [](archive_entry*) {});
  }
  // Without its bytes in memory.
  ArchiveMaker& zeros(const std::string& name, std::uint64_t size) {
    const std::string block(1 << 20, '\0');
    add(name, AE_IFREG, 0644, {},
        [&](archive_entry* entry) { archive_entry_set_size(entry, static_cast<la_int64_t>(size)); });
    for (std::uint64_t done = 0; done < size; done += block.size())
      archive_write_data(writer_.get(), block.data(), block.size());
    return *this;
  }
  ArchiveMaker& folder(const std::string& name, mode_t mode = 0755) {
    return add(name, AE_IFDIR, mode, {}, [](archive_entry*) {});
  }
  ArchiveMaker& symlink(const std::string& name, const std::string& target) {
    return add(name, AE_IFLNK, 0777, {},
               [&](archive_entry* entry) { archive_entry_set_symlink(entry, target.c_str()); });
  }
  ArchiveMaker& hardlink(const std::string& name, const std::string& target) {
    return add(name, AE_IFREG, 0644, {},
               [&](archive_entry* entry) { archive_entry_set_hardlink(entry, target.c_str()); });
  }
  ArchiveMaker& special(const std::string& name, unsigned type) {
    return add(name, type, 0644, {}, [](archive_entry* entry) {
      archive_entry_set_rdevmajor(entry, 1);
      archive_entry_set_rdevminor(entry, 3);
    });
  }
  // A file of `size` bytes that is one hole but for its last byte.
  ArchiveMaker& hole(const std::string& name, la_int64_t size) {
    add(name, AE_IFREG, 0644, {}, [&](archive_entry* entry) {
      archive_entry_set_size(entry, size);
      archive_entry_sparse_add_entry(entry, size - 1, 1);
    });
    const std::string block(1 << 20, 'x');
    for (la_int64_t done = 0; done < size; done += static_cast<la_int64_t>(block.size()))
      archive_write_data(writer_.get(), block.data(), block.size());
    return *this;
  }
  void done() { check(archive_write_close(writer_.get())); }

 private:
  void check(int result) { EXPECT_EQ(result, ARCHIVE_OK) << archive_error_string(writer_.get()); }

  template <class Change>
  ArchiveMaker& add(const std::string& name, unsigned type, mode_t mode, const std::string& content,
                    const Change& change) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                         archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), type);
    archive_entry_set_perm(entry.get(), mode);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    change(entry.get());
    EXPECT_GE(archive_write_header(writer_.get(), entry.get()), ARCHIVE_WARN)
        << archive_error_string(writer_.get());
    if (!content.empty()) archive_write_data(writer_.get(), content.data(), content.size());
    return *this;
  }

  std::unique_ptr<archive, int (*)(archive*)> writer_{archive_write_new(), archive_write_free};
};

}  // namespace weir
