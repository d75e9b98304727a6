// A recipe is all that decides on what comes out of an element's build, as one canonical JSON document (keys
// sorted, no spaces). Its SHA-256 is the key, and the document is kept with the artifact: why something is
// built again is the difference of two documents.
//
//   recipe key    direct dependencies by their closure keys: known before anything is built, so an artifact
//   can
//                 be had without its dependencies
//   closure key   recipe key, and the closure keys of all that is needed at run time. So recipes do not grow
//   with
//                 the number of indirect dependencies: a chain of 20,000 would have documents of 20 GB
//   resolved key  all that is staged, by outputs: a rebuild that gives the same output ends there
//
// The steps that the kinds plan are part of it: a plugin may plan other commands without a new version. Core
// counts, timeouts, tokens and paths of this machine are no part of it; without a sandbox the
// absolute prefix is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/build/environment.h"
#include "core/build/host.h"
#include "core/build/resolve.h"
#include "core/build/source_trees.h"

namespace weir {

struct RecipeParts {
  const ResolvedElement& resolved;
  std::span<const PlannedSource> sources;
  const std::vector<Step>& steps;  // of the kind's plan; those of sources are in `resolved`
  const Environment& environment;
  std::string_view prefix;
  SandboxRoot sandbox;
  std::uint32_t uid;
  bool user_namespaces;
  std::span<const std::string> host_tools;          // sorted; only looked at with the host's root
  std::span<const std::string> overlaps;            // globs; where they matter, so does the order below
  std::span<const std::string_view> staging_order;  // names of the dependencies; empty without overlaps
  bool runs = true;  // false: nothing is run, so neither machine nor environment nor sandbox has a part in it
};

struct RecipeDependency {
  std::string_view name;
  std::string_view digest;  // its closure key, or of its output
};

enum class DependencyForm : std::uint8_t { closure, output };

// `runtime` sorted by name, as `dependencies` below.
std::string closure_document(std::string_view recipe_key, std::span<const RecipeDependency> runtime);
std::string recipe_document(const RecipeParts& parts, std::span<const RecipeDependency> dependencies,
                            DependencyForm form, Host& host);

}  // namespace weir
