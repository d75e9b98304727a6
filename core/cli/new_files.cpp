#include "core/cli/new_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "core/base/fd.h"
#include "core/base/printable.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> in_the_way(const std::string& path) {
  return fail(Reason::usage, fmt::format("{} is in the way; nothing was changed", printable(path)),
              "weir overwrites nothing here: move it away, or name another folder");
}

bool is_there(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

// What was made up to now; gone with this unless it is kept.
class Made {
 public:
  ~Made() {
    for (auto path = paths_.rbegin(); path != paths_.rend(); ++path) ::remove(path->c_str());
  }

  Status folder(const fs::path& path) {
    if (path.empty() || fs::is_directory(path, ignored_)) return {};
    if (auto above = folder(path.parent_path()); !above) return above;
    if (::mkdir(path.c_str(), 0777) == 0) paths_.push_back(path);
    else if (errno == EEXIST) return fs::is_directory(path, ignored_) ? Status() : in_the_way(path.string());
    else return fail_errno("making " + printable(path.string()));
    return {};
  }

  Status file(const fs::path& path, std::string_view text) {
    if (auto made = folder(path.parent_path()); !made) return made;
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file && errno == EEXIST) return in_the_way(path.string());
    if (!file) return fail_errno("making " + printable(path.string()));
    paths_.push_back(path);
    if (!write_all(file.get(), text)) return fail_errno("writing " + printable(path.string()));
    return {};
  }

  void keep() { paths_.clear(); }

 private:
  std::vector<fs::path> paths_;
  std::error_code ignored_;
};

}  // namespace

Status write_new_files(const std::string& folder, std::span<const NewFile> files) {
  const auto root = fs::path(folder).lexically_normal();
  for (const auto& file : files)
    if (is_there(root / file.path)) return in_the_way((root / file.path).string());
  Made made;
  for (const auto& file : files)
    if (auto status = made.file(root / file.path, file.text); !status) return status;
  made.keep();
  return {};
}

}  // namespace weir::cli
