// Where a shell has its files: <cache>/projects/<project>/shells/<random>/, gone with it. One whose weir was
// killed is removed when the next shell or run of the project starts.
#pragma once

#include <string>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir::cli {

class ShellFolder {
 public:
  static Result<ShellFolder> make(const std::string& project_folder);
  ShellFolder(ShellFolder&&) noexcept = default;
  ShellFolder& operator=(ShellFolder&&) = delete;
  ~ShellFolder();

  const std::string& path() const { return path_; }

 private:
  ShellFolder(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  UniqueFd lock_;
};

// `project_folder` is a descriptor.
void remove_dead_shells(int project_folder);

}  // namespace weir::cli
