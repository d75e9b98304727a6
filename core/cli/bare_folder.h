// The folder of an element without a sandbox, for a shell. Its place is part of the element's key, so a shell
// has to use the one that builds use, under their lock. What a failed build left there is put aside
// meanwhile; a mark tells what is of a shell that was killed from what is of a build.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/build/build_plan.h"
#include "core/store/store.h"

namespace weir::cli {

// Fails if another weir has it.
Result<store::KeyLock> lock_bare_folder(store::Store& store, const BuildPlan& plan, ElementId element);

// Undoes what a shell that was killed left. Under the lock.
void recover_bare_folder(const std::string& path);

class BareFolder {
 public:
  // Recovered, and the lock held as long as this lives.
  explicit BareFolder(std::string path);
  ~BareFolder();  // removes what the shell had, and puts back what was there
  BareFolder(const BareFolder&) = delete;
  BareFolder& operator=(const BareFolder&) = delete;

  void mark() const;  // once it is made

 private:
  std::string path_;
  std::string aside_;
};

}  // namespace weir::cli
