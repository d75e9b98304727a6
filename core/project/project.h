// A project: weir.toml and the element files, validated and linked. Immutable once loaded
// (core/project/load.h).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/circuit_breaker.h"
#include "core/model/job_spec.h"
#include "core/model/on_error.h"
#include "core/project/element.h"

namespace weir {

// The format this weir reads: `weir = 1`.
inline constexpr std::int64_t kProjectFormat = 1;

// An amount of a resource: as much as the machine has, or a number (bytes for `memory`).
struct Amount {
  bool automatic = true;
  std::uint64_t value = 0;
  bool operator==(const Amount&) const = default;
};

struct Resource {
  std::string name;
  Amount amount;
  Place place;  // none for those that are always there
};

enum class Push : std::uint8_t { no, yes, required };
struct Remote {
  std::string url;
  Push push = Push::no;
  Duration connect_timeout = std::chrono::seconds(2);
  std::string ca;  // a file, relative to the project
  Place place;
};

// SIMULATION terms; kinds of placement check what is theirs.
struct Placement {
  std::string allocate = "none";
  std::string place = "local";
  std::string pick = "cache-first";
  std::string loans = "plain";
  Duration cache_timeout = std::chrono::seconds(1);
  Duration deps_timeout = std::chrono::seconds(60);
  bool skip_empty_stages = true;
  double rebalance_threshold = 50;  // percent of the workers
  Duration rebalance_after = std::chrono::seconds(60);
  std::vector<std::pair<std::string, Place>> places;  // of the keys that are given
};

struct WorkClass {
  PlacedText name;
  double load = 0;
  Place load_place;
  PlacedText requestor;  // a regular expression, full match
};
struct WorkerConfig {
  PlacedText name;
  std::uint32_t slots = 1;
};

struct Sandbox {
  SandboxRoot root = SandboxRoot::host;
  Place root_place;  // line 0 when it is the default
  std::vector<std::string> host_tools;
  std::uint32_t uid = 0;
  bool user_namespaces = false;  // a build may make some of its own
  Place user_namespaces_place;
};

// [queue.NAME]: what only the plugin of that queue understands.
struct QueueConfig {
  PlacedText name;
  TomlValue config;
};

struct Hooks {
  std::vector<PlacedText> on_start, on_complete, on_run_end;
};

struct Project {
  std::string root;  // the folder of weir.toml, absolute
  std::string name;
  std::vector<PlacedText> default_targets;
  std::string elements_folder = "elements";
  TextMap env;
  TextMap env_variables;  // those that [env] uses, as they were set
  std::string prefix = "/weir";
  Place prefix_place;
  std::vector<Resource> resources;  // sorted by name; those of weir are always there
  std::vector<PlacedText> queues = {{"track", {}}, {"pull", {}}, {"fetch", {}}, {"build", {}}, {"push", {}}};
  std::vector<QueueConfig> queue_configs;
  Sandbox sandbox;
  OnError on_error = OnError::quit;
  Place on_error_place;
  RetryPolicy retry = RetryPolicy::defaults();
  CircuitBreaker::Limits breaker;
  std::vector<Remote> remotes;
  Placement placement;
  std::vector<WorkClass> classes;
  std::vector<WorkerConfig> workers;
  std::vector<PlacedText> plugin_path;
  Hooks hooks;
  std::vector<Element> elements;  // sorted by name, names unique

  const Element& operator[](ElementIndex i) const { return elements[index(i)]; }
  // nullptr if there is none.
  const Element* find(std::string_view element) const;
  const QueueConfig* queue_config(std::string_view queue) const;
  const Resource* resource(std::string_view resource_name) const;
};

// [plugins] path, as plugin_path() takes it.
std::vector<std::string> plugin_folders(const Project& project);

// The project's [env] with the element's own over it.
TextMap environment_of(const Project& project, const Element& element);
// The variables that the element and the project's [env] use, as they were set.
TextMap variables_of(const Project& project, const Element& element);

}  // namespace weir
