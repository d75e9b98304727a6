// The steps that run inside weir: copy and write. Run in the arena `store`, never on the loop's thread unless
// tiny; `cancelled` is looked at between files.
//
// Paths are opened beneath their root by the kernel (openat2 RESOLVE_BENEATH), so a symlink that a build left
// behind leads no step out of it. Symlinks inside a copied tree are copied as links.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/job_result.h"
#include "core/model/job_spec.h"

namespace weir {

// What a step may know of the job.
struct StepContext {
  // The real directory of a root ("build"); empty if the job has none.
  std::function<std::string(std::string_view root)> root;
  const std::atomic<bool>* cancelled = nullptr;
};

struct StepError {
  Failure failure = Failure::infra;
  std::string message;
};
using StepStatus = tl::expected<void, StepError>;

StepStatus run_copy_step(const Step& step, const StepContext& context);
StepStatus run_write_step(const Step& step, const StepContext& context);

}  // namespace weir
