// A file of sections that is mapped, not read: opening it costs the same whatever its size, and only what is
// looked at is brought in. Sections are arrays of plain structs or bytes. Each has a checksum, which is
// verified when it is first asked for; a file that is cut, foreign, of another version or damaged is none.
//
// Written once and replaced whole by rename, never changed: who has it mapped keeps what he has. Small
// changes go into a second file beside it (`.delta`), a list of patches that belongs to one file by its id
// and is replaced whole, too. The mapping is private, so patches are applied to this process's pages alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace weir::snapshot {

enum class Section : std::uint32_t {
  question,     // text: what it is the answer to
  counts,       // Counts
  frame,        // the project without its elements (core/project/project_codec.h)
  watches,      // Watch: every path to look at
  paths,        // bytes of them
  folders,      // Text: those that many watched paths are in
  contents,     // Hash128: of the files of the project, in the order of their watches
  elements,     // ElementRow, in order of names
  names,        // bytes
  edges,        // Edge
  order,        // u32: planned elements, dependencies first
  trees,        // SourceTree
  definitions,  // bytes: elements (project_codec.h); each has a checksum in its row
  trust,        // bytes: what the project was allowed to do (core/cli/trust.h); none if it asks for nothing
};
inline constexpr std::size_t kSections = 14;

// A change of some bytes of a section.
struct Patch {
  Section section{};
  std::uint64_t at = 0;
  std::string bytes;
};

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class Writer {
 public:
  // The bytes must live until write().
  void add(Section section, std::string_view bytes) { sections_[static_cast<std::size_t>(section)] = bytes; }
  // Not synced: what a crash takes costs a look at everything. Takes the patches of the file before away.
  Status write(const std::string& path) const;

 private:
  std::string_view sections_[kSections];
};

class File {
 public:
  // Nothing: there is none, or none that can be believed. Patches are applied.
  static std::optional<File> map(const std::string& path);
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  // Nothing: it is damaged.
  std::optional<std::string_view> bytes(Section section) const;
  // For what has checksums of its own.
  std::string_view unverified(Section section) const;
  template <class T>
  std::optional<std::span<const T>> table(Section section) const {
    const auto raw = bytes(section);
    if (!raw || raw->size() % sizeof(T) != 0) return std::nullopt;
    return std::span<const T>(reinterpret_cast<const T*>(raw->data()), raw->size() / sizeof(T));
  }

  // Adds to the patches beside it. Too many of them, and the file is better written anew: then an error.
  Status patch(const std::string& path, std::vector<Patch> more) const;
  std::size_t patches() const { return patches_.size(); }

 private:
  File() = default;
  bool read_header(std::uint64_t size);
  bool apply(const std::string& path);
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t id_ = 0;
  struct Entry {
    std::uint64_t offset = 0, size = 0, checksum = 0;
  };
  Entry entries_[kSections];
  mutable bool verified_[kSections] = {};
  std::vector<Patch> patches_;
};

// What two files of the same content have in common.
struct Hash128 {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Hash128&) const = default;
};
Hash128 hash_of(std::string_view bytes);
std::uint64_t checksum_of(std::string_view bytes);

}  // namespace weir::snapshot
