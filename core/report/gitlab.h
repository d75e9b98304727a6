// What GitLab understands in the log of a job: sections. Their marks hold escape sequences, which GitLab's
// own format asks for; they are the only ones that weir writes in CI.
#pragma once

#include <cstdint>

#include "core/report/ci_host.h"

namespace weir {

// A name as GitLab takes it: letters, digits, "_", "." and "-".
std::string gitlab_section_name(std::string_view text);

class GitlabHost final : public CiHost {
 public:
  explicit GitlabHost(std::string_view project) : name_(gitlab_section_name(project)) {}

  std::string fold_begin(WallTime now) override;
  std::string fold_end(WallTime now) override;

 private:
  std::string section() const;
  std::string name_;
  std::uint64_t sections_ = 0;
};

}  // namespace weir
