// Where something stands in a file of the user: everything the loader keeps knows its place, so that a
// diagnostic can be given for it at any time, also long after loading (a plugin that refuses a value of
// `config`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file_stamp.h"

namespace weir {

enum class FileId : std::uint32_t {};
inline constexpr FileId kNoFile{0xffffffff};
constexpr std::uint32_t index(FileId id) { return static_cast<std::uint32_t>(id); }

// Lines and columns count from 1; columns count code points, as editors do. Line 0 is the file as a whole.
struct Place {
  FileId file = kNoFile;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const Place&) const = default;
};

struct SourceFile {
  std::string path;  // as shown to people
  std::string text;  // kept for the line a diagnostic quotes: 200 bytes for a typical element; empty: read it
                     // when it is needed
  FileStamp stamp;   // when it was read
};

// Sized before files are parsed in parallel; each thread then writes to slots of its own.
class SourceFiles {
 public:
  FileId add(std::string path, std::string text = {}) {
    files_.push_back({std::move(path), std::move(text)});
    return FileId{static_cast<std::uint32_t>(files_.size() - 1)};
  }
  SourceFile& operator[](FileId id) { return files_[index(id)]; }
  const SourceFile& operator[](FileId id) const { return files_[index(id)]; }
  bool has(FileId id) const { return index(id) < files_.size(); }
  std::size_t size() const { return files_.size(); }

 private:
  std::vector<SourceFile> files_;
};

}  // namespace weir
