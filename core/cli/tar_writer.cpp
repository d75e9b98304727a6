#include "core/cli/tar_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <map>
#include <memory>

#include "core/base/replace_file.h"
#include "core/cli/archive_library.h"

namespace weir::cli {

namespace {

constexpr std::time_t kTime = 946684800;  // as in the environment of commands: SOURCE_DATE_EPOCH

struct Free {
  const ArchiveLibrary& library;
  void operator()(archive* one) const { library.write_free(one); }
  void operator()(archive_entry* one) const { library.entry_free(one); }
};

class TarWriter {
 public:
  TarWriter(const ArchiveLibrary& library, store::Store& store, archive* out)
      : library_(library), store_(store), out_(out) {}

  Status directory(const store::Digest& digest, const std::string& path) {
    const auto bytes = store_.read_blob(digest);
    if (!bytes) return tl::unexpected(bytes.error());
    auto content = store::decode_directory(*bytes);
    if (!content) return tl::unexpected(content.error());
    std::map<std::string, std::function<Status()>> entries;
    for (const auto& file : content->files)
      entries[file.name] = [&, name = path + file.name] { return this->file(file, name); };
    for (const auto& link : content->symlinks)
      entries[link.name] = [&, name = path + link.name] { return symlink(link, name); };
    for (const auto& child : content->directories)
      entries[child.name] = [&, name = path + child.name + "/"] {
        if (auto begun = header(name, AE_IFDIR, 0755, 0); !begun) return begun;
        return directory(child.digest, name);
      };
    for (const auto& [name, write] : entries)
      if (auto written = write(); !written) return written;
    return {};
  }

 private:
  Status symlink(const store::SymlinkNode& link, const std::string& path) {
    return header(path, AE_IFLNK, 0777, 0, link.target.c_str());
  }

  Status file(const store::FileNode& node, const std::string& path) {
    const auto blob = store_.open_blob(node.digest);
    if (!blob) return tl::unexpected(blob.error());
    const auto size = static_cast<std::int64_t>(node.digest.size);
    if (auto begun = header(path, AE_IFREG, node.executable ? 0755 : 0644, size); !begun) return begun;
    std::array<char, 64 * 1024> buffer;
    for (ssize_t got; (got = ::read(blob->get(), buffer.data(), buffer.size())) != 0;) {
      if (got < 0) return fail_errno("reading " + path);
      if (library_.write_data(out_, buffer.data(), static_cast<std::size_t>(got)) < 0) return trouble();
    }
    return {};
  }

  Status header(const std::string& path, unsigned type, unsigned mode, std::int64_t size,
                const char* target = nullptr) {
    const std::unique_ptr<archive_entry, Free> entry(library_.entry_new(), Free{library_});
    library_.entry_set_pathname(entry.get(), path.c_str());
    library_.entry_set_filetype(entry.get(), type);
    library_.entry_set_perm(entry.get(), static_cast<__LA_MODE_T>(mode));
    library_.entry_set_size(entry.get(), size);
    library_.entry_set_mtime(entry.get(), kTime, 0);
    if (target) library_.entry_set_symlink(entry.get(), target);
    return library_.write_header(out_, entry.get()) >= ARCHIVE_WARN ? Status{} : trouble();
  }

  Status trouble() const {
    return fail(Reason::system, fmt::format("writing the archive: {}", library_.error_string(out_)));
  }

  const ArchiveLibrary& library_;
  store::Store& store_;
  archive* out_;
};

Status write_to(store::Store& store, const store::Digest& tree, const char* file) {
  const auto loaded = archive_library();
  if (!loaded) return tl::unexpected(loaded.error());
  const auto& library = **loaded;
  const std::unique_ptr<archive, Free> out(library.write_new(), Free{library});
  library.write_set_format_pax_restricted(out.get());
  library.write_set_options(out.get(), "hdrcharset=BINARY");  // names are bytes, whatever they mean
  const auto failed = [&] {
    return fail(Reason::system, fmt::format("writing the archive: {}", library.error_string(out.get())));
  };
  if (library.write_open_filename(out.get(), file) != ARCHIVE_OK) return failed();
  if (auto written = TarWriter(library, store, out.get()).directory(tree, ""); !written) return written;
  if (library.write_close(out.get()) != ARCHIVE_OK) return failed();
  return {};
}

}  // namespace

Status write_tar(store::Store& store, const store::Digest& tree, const std::string& path) {
  if (path == "-") return write_to(store, tree, nullptr);
  return write_output_file(
      path, [&](int file) { return write_to(store, tree, fmt::format("/proc/self/fd/{}", file).c_str()); });
}

}  // namespace weir::cli
