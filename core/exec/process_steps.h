// The steps that are processes: run, and download and unpack, which are runs of weir-transfer. Rows of them
// may be mixed; a row is the plan of one weir-init.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/exec/init_plan.h"
#include "core/model/job_spec.h"

namespace weir {

bool is_process_step(const Step& step);

struct ProcessStepContext {
  // The real directory of a root ("build"); empty if the job has none.
  std::function<std::string(std::string_view root)> root;
  bool sandboxed = false;  // then commands see the roots at "/build" and so on
  std::string transfer;    // weir-transfer; empty: it was not found
};

Result<InitStep> plan_process_step(const Step& step, const ProcessStepContext& context);

// What the exit codes of the step mean, and what to call it when it could not be started.
std::span<const ExitMeaning> meanings_of(const Step& step);
std::string_view program_of(const Step& step);
std::string_view directory_of(const Step& step);

}  // namespace weir
