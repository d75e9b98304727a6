// Who hears the events of a run: the record that is always kept, a file that was asked for, the person at the terminal or who
// reads what weir says, hooks.
#pragma once

#include <memory>
#include <optional>

#include "core/cli/live_terminal.h"
#include "core/cli/run_folder.h"
#include "core/cli/session.h"
#include "core/project/settings.h"
#include "core/report/json_lines.h"
#include "core/report/plain.h"
#include "core/scheduler/emitter.h"
#include "core/scheduler/hook_runner.h"

namespace weir::cli {

class RunObservers {
 public:
  RunObservers(const RunRequest& request, const Settings& settings, const RunFolder& folder, const Hooks& hooks,
               boost::asio::io_context& loop, const Clock& clock);

  // Opens the files and joins them all to the events.
  Status join(const RunRequest& request, const RunFolder& folder, Emitter& events);
  // Nothing: plain lines.
  LiveTerminal* display() { return display_.get(); }

 private:
  std::optional<JsonLines> kept_, asked_;
  std::unique_ptr<LiveTerminal> display_;
  std::optional<PlainReport> plain_;
  HookRunner hooks_;
};

}  // namespace weir::cli
