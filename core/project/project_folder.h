// The files of a project, opened beneath its folder: weir.toml, weir.lock or an element file that is a link
// (or lies behind one) to another place of this machine is not opened before the project is trusted. A link
// that stays inside is as good as a file. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/fd.h"
#include "core/base/file_stamp.h"
#include "core/base/result.h"

namespace weir {

// Whether files outside of the project's folder may be read.
enum class Outside : unsigned char { refused, allowed };

struct ProjectFile {
  std::optional<std::string> text;
  Error why_not;         // it cannot be read
  std::string leads_to;  // where it is outside of the project: it was not opened
  FileStamp stamp;
};

class ProjectFolder {
 public:
  explicit ProjectFolder(const std::string& root, Outside outside = Outside::refused);

  // `path` below the folder.
  ProjectFile read(const std::string& path) const;
  // Where a file or folder of the project is, if that is outside of it; empty if it is inside or not there.
  std::string leads_to(const std::string& path) const;

 private:
  std::string root_;
  Outside outside_;
  UniqueFd fd_;
};

// Both absolute and without links: whether `path` is `folder` or below it.
bool is_inside(std::string_view path, std::string_view folder);
// Without links; nothing if it is not there.
std::optional<std::string> real_path(const std::string& path);

}  // namespace weir
