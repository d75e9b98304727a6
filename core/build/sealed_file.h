// A small file in a project's folder of the cache that is only good for an answer: read and written as a whole, with its
// SHA-256 at its end, by rename, so that a reader sees the old one or the new one. Two weirs may end at the same time: who
// changes it holds the lock beside it from before it is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

class SealedFile {
 public:
  explicit SealedFile(std::string path) : path_(std::move(path)) {}

  // Nothing: it is not there, or damaged; after a crash of the machine a file may have its name and not its content.
  std::optional<std::string> read() const;
  // Not synced: what a crash takes is only an answer.
  Status write(std::string bytes) const;
  // Waits for another weir.
  Result<UniqueFd> lock() const;

 private:
  std::string path_;
};

}  // namespace weir
