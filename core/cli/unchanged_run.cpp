#include "core/cli/unchanged_run.h"

#include <boost/asio/io_context.hpp>

#include "core/cli/exit_codes.h"
#include "core/cli/run_folder.h"
#include "core/cli/run_observers.h"
#include "core/cli/run_row.h"
#include "core/cli/tell.h"
#include "core/cli/tell_run.h"
#include "core/exec/tree_control.h"
#include "resources/probe.h"

namespace weir::cli {

int run_unchanged(const RunRequest& request, FoundSnapshot& found) {
  keep_known(found);
  CgroupPool::remove_stale();  // of one that was killed before: nobody else may come along
  const auto& project = found.frame->project();
  const auto folder = RunFolder::make(found.frame->values().cache_dir.value, project.name, project.root,
                                      sharing_of(found.frame->values()));
  if (!folder) return tell(folder.error());
  boost::asio::io_context loop(1);
  SteadyClock clock;
  Emitter events(clock);
  RunObservers observers({request, *folder, *found.frame, clock, loop});
  if (auto joined = observers.join(request, *folder, events); !joined) return tell(joined.error());
  tell_start(events, request, project, *folder, probe_machine());
  const auto& counts = found.snapshot.counts();
  const auto queues = queues_of(request, project);
  events.emit([&] { return event::RunPlan{counts.planned, counts.edges, queues, {}}; });
  events.emit([&] { return event::RunUnchanged{counts.planned, counts.wanted}; });
  events.emit([&] {
    event::RunEnd end{};
    end.result = to_string(Ending::succeeded);
    end.cached = counts.wanted;
    end.seconds = std::chrono::duration<double>(events.since_start()).count();
    return end;
  });
  folder->has_no_work();
  return observers.finish(request, kDone);
}

}  // namespace weir::cli
