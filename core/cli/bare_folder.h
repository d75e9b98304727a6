// The folder of an element without a sandbox, for a shell. Its place is part of the element's key, so a shell has to use
// the one that builds use, under their lock. What a failed build left there is put aside meanwhile.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/build/build_plan.h"
#include "core/store/store.h"

namespace weir::cli {

// Fails if another weir has it.
Result<store::KeyLock> lock_bare_folder(store::Store& store, const BuildPlan& plan, ElementId element);

class BareFolder {
 public:
  // The lock has to be held as long as this lives.
  explicit BareFolder(std::string path);
  ~BareFolder();  // removes what the shell had, and puts back what was there
  BareFolder(const BareFolder&) = delete;
  BareFolder& operator=(const BareFolder&) = delete;

 private:
  std::string path_;
  std::string aside_;
};

}  // namespace weir::cli
