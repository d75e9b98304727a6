// The structs that a snapshot consists of, as they lie in the file.
#pragma once

#include <cstdint>

#include "core/store/digest.h"

namespace weir::snapshot {

inline constexpr std::uint32_t kNone = 0xffffffff;

struct Text {
  std::uint32_t at, size;
};

// How a project stood as a whole.
struct Counts {
  std::uint64_t planned;  // elements of the plan
  std::uint64_t edges;    // between them
  std::uint64_t
      wanted;  // elements that a build without work looks at: the targets and what they need at run time
  std::uint64_t missing;   // of those, how many did not get through the whole row
  std::uint64_t noted_ns;  // when the store was last told that what they stand for is used
};

enum class WatchKind : std::uint8_t {
  frame,           // weir.toml, weir.lock: what they say concerns everything
  element_file,    // its owner is the element of that name
  element_folder,  // names of element files
  source,          // of the element that owns it
  host,            // tools, plugins, weir itself
};

struct Watch {
  std::uint64_t stamp;   // 0: it was not there
  std::uint32_t path;    // in `paths`: below the project, or absolute; ends with a NUL
  std::uint32_t owner;   // a row of `elements`, or kNone
  std::uint32_t folder;  // that it lies in, or kNone: not worth to be opened
  std::uint16_t name;    // where the last part of the path begins
  WatchKind kind;
  std::uint8_t young;  // not 0: written too shortly before it was read to be believed
};

struct Edge {
  std::uint32_t to;
  std::uint32_t kind;  // DependencyKind
};

struct SourceTree {
  store::Digest tree;
  std::uint64_t known;  // else it is pinned by its ref, or was never imported
};

struct ElementRow {
  enum Flag : std::uint32_t {
    planned = 1,
    there = 2,    // its artifact is in the store, and it went through the whole row
    wanted = 4,   // also by a build without work
    staging = 8,  // its key depends on what it is built with
    tested = 16,  // a queue behind `build` may have jobs for it, which have what it needs at run time
  };
  store::Key recipe_key;
  store::Key kept_as;  // the resolved key
  store::Digest output;
  std::uint64_t definition;
  std::uint64_t definition_checksum;  // of its own: few of them are read
  std::uint32_t definition_size;
  std::uint32_t file;  // of its definition
  Text name;
  Text edges;
  Text trees;
  std::uint32_t flags;
  std::uint32_t padding;
};

}  // namespace weir::snapshot
