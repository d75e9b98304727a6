// Who hears the events of a run: the record that is always kept, a file that was asked for, the terminal, hooks.
#pragma once

#include <optional>

#include "core/cli/run_folder.h"
#include "core/cli/session.h"
#include "core/report/json_lines.h"
#include "core/report/plain.h"
#include "core/scheduler/emitter.h"
#include "core/scheduler/hook_runner.h"

namespace weir::cli {

class RunObservers {
 public:
  RunObservers(const RunRequest& request, const RunFolder& folder, const Hooks& hooks);

  // Opens the files and joins them all to the events.
  Status join(const RunRequest& request, const RunFolder& folder, Emitter& events);

 private:
  std::optional<JsonLines> kept_, asked_;
  PlainReport report_;
  HookRunner hooks_;
};

}  // namespace weir::cli
