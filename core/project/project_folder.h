// The files of a project, opened beneath its folder: weir.toml, weir.lock or an element file that is a link
// (or lies behind one) to another place of this machine is not opened before the project is trusted. A link
// that stays inside is as good as a file. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/file_stamp.h"
#include "core/base/result.h"

namespace weir {

// Which files outside of the project's folder may be read.
struct Outside {
  bool everything = false;
  std::vector<std::string> places;  // files, and folders with all below them; absolute and without links

  bool allows(std::string_view real) const;
};

struct ProjectFile {
  std::optional<std::string> text;
  Error why_not;         // it cannot be read
  std::string leads_to;  // where it is outside of the project: it was not opened
  FileStamp stamp;
};

class ProjectFolder {
 public:
  explicit ProjectFolder(const std::string& root, Outside outside = {});

  // `path` below the folder.
  ProjectFile read(const std::string& path) const;
  // Where a file or folder of the project is, or would be made, if that is outside of it and not allowed;
  // else empty.
  std::string leads_to(const std::string& path) const;

 private:
  std::optional<std::string> outside(const std::string& path) const;

  std::string root_;
  Outside outside_;
  UniqueFd fd_;
};

}  // namespace weir
