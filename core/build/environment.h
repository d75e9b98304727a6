// What commands find in their environment, and where they find their directories.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/kind.h"
#include "core/project/project.h"

namespace weir {

using Environment = std::vector<std::pair<std::string, std::string>>;  // sorted by name, names unique

// As a job sees them. Inside a sandbox they are fixed, so that no path of this machine gets into what is
// built.
struct JobLayout {
  std::string prefix;   // where dependencies are
  std::string install;  // DESTDIR
};

// `of_kind` is what the plan of the kind sets. All but WEIR_JOBS, which differs from run to run and is no
// part of a key. The project's and the element's own [env] come over the usual search paths, what weir
// promises (WEIR_PREFIX, DESTDIR, WEIR_OUT) over all.
// Where commands find the programs of the host.
inline constexpr std::string_view kHostPath = "/usr/local/bin:/usr/bin:/bin";

Environment element_environment(const Project& project, const Element& element, const Environment& of_kind,
                                const JobLayout& layout);

// Replaces the value, or adds it in its place.
void set_variable(Environment& environment, std::string_view name, std::string value);

// "%{jobs}" in commands and values becomes the number of cores that the job has.
void set_jobs(std::vector<Step>& steps, Environment& environment, std::uint32_t cores);

}  // namespace weir
