#include "core/cli/tar_writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>
#include <memory>

namespace weir::cli {

namespace {

constexpr std::time_t kTime = 946684800;  // as in the environment of commands: SOURCE_DATE_EPOCH

struct Free {
  void operator()(archive* one) const { archive_write_free(one); }
  void operator()(archive_entry* one) const { archive_entry_free(one); }
};

class TarWriter {
 public:
  TarWriter(store::Store& store, archive* out) : store_(store), out_(out) {}

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
      if (archive_write_data(out_, buffer.data(), static_cast<std::size_t>(got)) < 0) return trouble();
    }
    return {};
  }

  Status header(const std::string& path, unsigned type, unsigned mode, std::int64_t size, const char* target = nullptr) {
    const std::unique_ptr<archive_entry, Free> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), path.c_str());
    archive_entry_set_filetype(entry.get(), type);
    archive_entry_set_perm(entry.get(), static_cast<__LA_MODE_T>(mode));
    archive_entry_set_size(entry.get(), size);
    archive_entry_set_mtime(entry.get(), kTime, 0);
    if (target) archive_entry_set_symlink(entry.get(), target);
    return archive_write_header(out_, entry.get()) >= ARCHIVE_WARN ? Status{} : trouble();
  }

  Status trouble() const {
    return fail(Reason::system, fmt::format("writing the archive: {}", archive_error_string(out_)));
  }

  store::Store& store_;
  archive* out_;
};

Status write_to(store::Store& store, const store::Digest& tree, const char* file) {
  const std::unique_ptr<archive, Free> out(archive_write_new());
  archive_write_set_format_pax_restricted(out.get());
  archive_write_set_options(out.get(), "hdrcharset=BINARY");  // names are bytes, whatever they mean
  const auto failed = [&] { return fail(Reason::system, fmt::format("writing the archive: {}", archive_error_string(out.get()))); };
  if (archive_write_open_filename(out.get(), file) != ARCHIVE_OK) return failed();
  if (auto written = TarWriter(store, out.get()).directory(tree, ""); !written) return written;
  if (archive_write_close(out.get()) != ARCHIVE_OK) return failed();
  return {};
}

}  // namespace

Status write_tar(store::Store& store, const store::Digest& tree, const std::string& path) {
  if (path == "-") return write_to(store, tree, nullptr);
  // A device, a pipe or a link is there to be written to, not to be replaced.
  std::error_code ignored;
  const auto there = std::filesystem::symlink_status(path, ignored).type();
  if (there != std::filesystem::file_type::not_found && there != std::filesystem::file_type::regular)
    return write_to(store, tree, path.c_str());
  const auto temporary = path + ".part";
  auto written = write_to(store, tree, temporary.c_str());
  std::error_code error;
  if (written) std::filesystem::rename(temporary, path, error);
  if (error) written = fail(Reason::system, fmt::format("writing {}: {}", path, error.message()));
  if (!written) std::filesystem::remove(temporary, error);
  return written;
}

}  // namespace weir::cli
