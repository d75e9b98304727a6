// The files of a project that the logs of its jobs speak of. A job sees its sources in a build directory;
// people, and CI systems that point at lines, know them in the project.
#pragma once

#include <optional>
#include <string>

#include "core/project/project.h"

namespace weir::cli {

class ProjectFiles {
 public:
  // Paths are given relative to `repository` if the project is inside of it, else to the project.
  ProjectFiles(const Project& project, std::string repository);

  // Nothing if no file of the element's local sources, or of the project, fits. `build` is the build
  // directory as the job saw it.
  std::optional<std::string> find(const std::string& element, const std::string& build,
                                  const std::string& path) const;

 private:
  std::optional<std::string> told(const std::string& path) const;

  const Project& project_;
  std::string base_;
};

}  // namespace weir::cli
