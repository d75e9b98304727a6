// A small file in a project's folder of the cache that is only good for an answer: read and written as a
// whole, with its SHA-256 at its end, by rename, so that a reader sees the old one or the new one. Two weirs
// may end at the same time: who changes it holds the lock beside it from before it is read.
//
// Of a large file a small change is not worth to write it all: it is appended to a second one beside it
// (`.more`), sealed by itself and bound to the file that it belongs to, so that what was appended to an older
// one counts no more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

class SealedFile {
 public:
  explicit SealedFile(std::string path) : path_(std::move(path)) {}

  // Nothing: it is not there, or damaged; after a crash of the machine a file may have its name and not its
  // content. A damaged one is removed: changes would be appended to it, and never be read.
  std::optional<std::string> read() const;
  // Not synced: what a crash takes is only an answer.
  Status write(std::string bytes) const;
  // A change of that many bytes is better appended; not to a file of another format, which begins with
  // another head.
  bool is_worth_appending(std::size_t bytes, std::string_view head) const;
  Status append(std::string_view change) const;
  // What was appended since the file was written, oldest first; as far as it is whole.
  std::vector<std::string> appended() const;
  // Waits for another weir.
  Result<UniqueFd> lock() const;

 private:
  std::string more() const { return path_ + ".more"; }
  void discard_damaged() const;
  std::string path_;
};

}  // namespace weir
