// One element as its file says it, variables expanded. Plain data; the project owns it and all others hold
// indices or ids. What only a kind understands (config, public, the keys of a source) stays a value tree with
// places: the kind is asked later, and its complaints are diagnostics like all others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/model/retry.h"
#include "core/project/table_reader.h"
#include "resources/lanes.h"

namespace weir {

// A position in Project::elements, which is sorted by name. Not an ElementId: that is a position in one run's
// graph.
enum class ElementIndex : std::uint32_t {};
constexpr std::uint32_t index(ElementIndex i) { return static_cast<std::uint32_t>(i); }

struct Dependency {
  ElementIndex to{};
  DependencyKind kind = DependencyKind::both;
  Place place;  // of the name in the list
};

struct Source {
  PlacedText kind;
  std::string url;    // or empty; `local` and `patch` have a path in `config`
  std::string track;  // branch, tag or pattern; may be empty
  std::string ref;    // from the element or weir.lock; empty: not tracked yet
  bool ref_from_lock = false;
  std::string directory;  // below the build directory; empty: its root
  TomlValue config;       // a table of all other keys, for the kind
  Place place;
};

struct Element {
  std::string name;
  Place place;
  PlacedText kind;
  std::string description;
  std::vector<Dependency>
      dependencies;                   // depends, build-depends, runtime-depends as listed; each element once
  std::vector<std::string> overlaps;  // globs of files that several dependencies may install; the last wins
  std::vector<Source> sources;
  TomlValue config;     // a table, or empty
  TomlValue published;  // `public`: a table, or empty
  TextMap env;          // its own; over the project's, see environment_of
  TextMap
      variables;  // those that its strings use, as they were set: to name one that changed, no part of a key
  struct Cores {
    std::uint32_t least = 1;
    std::uint32_t most = 0;  // 0: not said, so it is what its commands can use (core/build/core_sharing.h)
    bool operator==(const Cores&) const = default;
  } cpu;
  std::uint64_t memory = 0;  // bytes; 0: learnt
  struct Need {
    std::string resource;
    std::uint32_t amount = 1;
    Place place;
  };
  std::vector<Need> needs;            // sorted by name
  std::vector<PlacedText> exclusive;  // resources nobody else may hold meanwhile
  std::string lane;
  std::string group;
  Access access = Access::write;
  Duration timeout{};  // zero: none
  Duration stall{};
  RetryPolicy retry;  // the project's with the element's own over it
};

}  // namespace weir
