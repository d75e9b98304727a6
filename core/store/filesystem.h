// The calls by which the store changes its directory, injected so that a test can lose what was not synced.
// Names are relative to a directory descriptor. Each call gives 0 or an error number: callers decide by
// EEXIST, EXDEV, EMLINK and ENOENT, and only they can say what they were doing.
//
// Bytes are written straight to the descriptor that create() gave; an implementation for tests knows by
// create() and rename() which files may lose their content in a crash. The base class is the real thing. Any
// thread.
#pragma once

#include <sys/types.h>

#include "core/base/fd.h"

namespace weir::store {

class Filesystem {
 public:
  Filesystem() = default;
  virtual ~Filesystem() = default;
  Filesystem(const Filesystem&) = delete;
  Filesystem& operator=(const Filesystem&) = delete;

  // A new file, open for writing; EEXIST if the name is taken.
  [[nodiscard]] virtual int create(int directory, const char* name, mode_t mode, UniqueFd& made);
  // A new file without a name, which is gone when its process ends. EOPNOTSUPP where the file system has
  // none, and where none could be given a name later (no /proc).
  [[nodiscard]] virtual int create_unnamed(int directory, mode_t mode, UniqueFd& made);
  [[nodiscard]] virtual int give_name(int file, int directory, const char* name);
  [[nodiscard]] virtual int rename(int from_directory, const char* from, int to_directory, const char* to);
  [[nodiscard]] virtual int link(int from_directory, const char* from, int to_directory, const char* to);
  [[nodiscard]] virtual int unlink(int directory, const char* name);
  [[nodiscard]] virtual int make_directory(int directory, const char* name);
  // Everything that was done before in the file system of `directory` is durable when this returns 0.
  [[nodiscard]] virtual int sync(int directory);
};

}  // namespace weir::store
