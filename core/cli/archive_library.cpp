#include "core/cli/archive_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace weir::cli {

namespace {

// The number is that of libarchive's binary interface: 13 since libarchive 3.0.
constexpr const char* kName = "libarchive.so.13";

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    if (!function) missing_ = name;
  }
  std::string_view missing() const { return missing_; }

 private:
  void* library_;
  std::string_view missing_;
};

std::string_view find_all(Symbols symbols, ArchiveLibrary& all) {
  symbols.find("archive_write_new", all.write_new);
  symbols.find("archive_write_free", all.write_free);
  symbols.find("archive_write_set_format_pax_restricted", all.write_set_format_pax_restricted);
  symbols.find("archive_write_set_options", all.write_set_options);
  symbols.find("archive_write_open_filename", all.write_open_filename);
  symbols.find("archive_write_header", all.write_header);
  symbols.find("archive_write_data", all.write_data);
  symbols.find("archive_write_close", all.write_close);
  symbols.find("archive_error_string", all.error_string);
  symbols.find("archive_entry_new", all.entry_new);
  symbols.find("archive_entry_free", all.entry_free);
  symbols.find("archive_entry_set_pathname", all.entry_set_pathname);
  symbols.find("archive_entry_set_filetype", all.entry_set_filetype);
  symbols.find("archive_entry_set_perm", all.entry_set_perm);
  symbols.find("archive_entry_set_size", all.entry_set_size);
  symbols.find("archive_entry_set_mtime", all.entry_set_mtime);
  symbols.find("archive_entry_set_symlink", all.entry_set_symlink);
  return symbols.missing();
}

Result<ArchiveLibrary> load() {
  void* const library = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(Reason::system, fmt::format("archives cannot be written: {}", ::dlerror()),
                "install libarchive (Debian: libarchive13)");
  ArchiveLibrary all;
  if (const auto missing = find_all(Symbols(library), all); !missing.empty())
    return fail(Reason::system, fmt::format("archives cannot be written: {} has no {}", kName, missing),
                "install libarchive 3 (Debian: libarchive13)");
  return all;
}

}  // namespace

Result<const ArchiveLibrary*> archive_library() {
  static const auto loaded = load();
  if (!loaded) return tl::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace weir::cli
