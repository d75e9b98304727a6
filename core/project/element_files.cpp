#include "core/project/element_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "core/base/fd.h"
#include "core/project/read_element.h"
#include "core/project/toml_parse.h"

namespace weir {

namespace {

std::string error_text(int error_number) { return std::generic_category().message(error_number); }

enum class EntryType { file, folder, link_to_folder, other };

EntryType type_of(int folder_fd, const dirent& entry) {
  if (entry.d_type == DT_REG) return EntryType::file;
  if (entry.d_type == DT_DIR) return EntryType::folder;
  struct stat status {};
  if (fstatat(folder_fd, entry.d_name, &status, 0) != 0) return EntryType::file;  // reading it says why not
  if (!S_ISDIR(status.st_mode)) return EntryType::file;
  if (entry.d_type == DT_LNK) return EntryType::link_to_folder;
  struct stat own {};
  const bool is_link =
      fstatat(folder_fd, entry.d_name, &own, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(own.st_mode);
  return is_link ? EntryType::link_to_folder : EntryType::folder;
}

class Lister {
 public:
  Lister(const std::string& root, const std::string& folder, std::vector<ListedFolder>& listed,
         Diagnostics& diagnostics)
      : root_(root), folder_(folder), listed_(listed), diagnostics_(diagnostics) {}

  std::vector<ElementFile> run() {
    // Folders wait in a list of their own: a path may be deeper than a stack likes.
    open_.push_back("");
    while (!open_.empty()) {
      const auto below = std::move(open_.back());
      open_.pop_back();
      list(below);
    }
    std::sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return std::move(found_);
  }

 private:
  struct CloseDir {
    void operator()(DIR* dir) const { closedir(dir); }
  };

  void list(const std::string& below) {
    const auto inside = folder_ + (below.empty() ? "" : "/" + below), path = root_ + "/" + inside;
    const std::unique_ptr<DIR, CloseDir> dir(opendir(path.c_str()));
    if (!dir) {
      const int error_number = errno;
      listed_.push_back({inside, {}});
      if (!(below.empty() && error_number == ENOENT))
        diagnostics_.error(
            {}, fmt::format("folder {} cannot be read: {}", in_quotes(path), error_text(error_number)));
      return;
    }
    struct stat before {};
    listed_.push_back({inside, fstat(dirfd(dir.get()), &before) == 0 ? stamp_of(before) : FileStamp{}});
    while (const dirent* entry = readdir(dir.get())) add(below, *entry, dirfd(dir.get()));
  }

  void add(const std::string& below, const dirent& entry, int folder_fd) {
    const std::string_view name = entry.d_name;
    if (name.starts_with('.')) return;
    auto inner = below.empty() ? std::string(name) : below + "/" + std::string(name);
    const bool is_toml = name.ends_with(".toml");
    const auto type = type_of(folder_fd, entry);
    if (type == EntryType::link_to_folder) {
      diagnostics_.warning(
          {}, fmt::format("{} is a link to a folder and is not followed", in_quotes(folder_ + "/" + inner)));
    } else if (type == EntryType::folder && is_toml) {
      diagnostics_.error({}, fmt::format("{} is a folder, not an element", in_quotes(folder_ + "/" + inner)),
                         "rename it: names of element files end with .toml, those of folders do not");
    } else if (type == EntryType::folder) {
      open_.push_back(std::move(inner));
    } else if (is_toml) {
      auto path = folder_ + "/" + inner;
      inner.resize(inner.size() - 5);
      if (is_element_name(inner)) found_.push_back({std::move(inner), std::move(path)});
      else
        diagnostics_.error({}, fmt::format("{} gives no name for an element", in_quotes(path)),
                           "letters, digits and . _ - + @ are safe");
    }
  }

  const std::string& root_;
  const std::string& folder_;
  std::vector<ListedFolder>& listed_;
  Diagnostics& diagnostics_;
  std::vector<std::string> open_;
  std::vector<ElementFile> found_;
};

}  // namespace

std::optional<std::string> find_project(std::string_view directory) {
  std::string at(directory.empty() ? "." : directory);
  struct stat above {
  }, here{};
  while (stat(at.c_str(), &here) == 0) {
    const auto file = at + "/weir.toml";
    // A broken link or a folder of that name is told when it is read, not passed over.
    if (faccessat(AT_FDCWD, file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return at;
    const auto parent = at == "." ? std::string("..") : at + "/..";
    const bool is_root =
        stat(parent.c_str(), &above) == 0 && above.st_dev == here.st_dev && above.st_ino == here.st_ino;
    if (is_root) break;
    at = parent;
  }
  return std::nullopt;
}

std::vector<ElementFile> list_element_files(const std::string& root, const std::string& folder,
                                            std::vector<ListedFolder>& listed, Diagnostics& diagnostics) {
  return Lister(root, folder, listed, diagnostics).run();
}

Result<std::string> read_file(const std::string& path, FileStamp* stamp) {
  return read_opened(UniqueFd(open(path.c_str(), kReadFile)), stamp);
}

Result<std::string> read_opened(const UniqueFd& fd, FileStamp* stamp) {
  struct stat status {};
  if (!fd || fstat(fd.get(), &status) != 0) return fail_errno("cannot be read");
  if (S_ISDIR(status.st_mode)) return fail(Reason::project, "cannot be read: it is a folder");
  if (!S_ISREG(status.st_mode)) return fail(Reason::project, "cannot be read: it is no regular file");
  if (stamp != nullptr) *stamp = stamp_of(status);
  // One byte more than its size, so that the read that finds the end is the first one; files of /proc say
  // size 0.
  std::string text;
  std::size_t used = 0;
  for (auto room = static_cast<std::size_t>(status.st_size) + 1;; room = used + 4096) {
    if (room > kLongestTomlFile + 1) room = kLongestTomlFile + 2;
    text.resize(room);
    const auto got = read(fd.get(), text.data() + used, room - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("cannot be read");
    used += static_cast<std::size_t>(got);
    if (got == 0 || used > kLongestTomlFile || used < room) break;
  }
  text.resize(used);
  return text;
}

}  // namespace weir
