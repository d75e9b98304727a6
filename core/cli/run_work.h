// What stands behind the queues of a run: sources, artifacts, queues of plugins, and the files of their jobs.
#pragma once

#include "core/build/job_folders.h"
#include "core/build/last_built.h"
#include "core/build/project_remotes.h"
#include "core/build/project_sources.h"
#include "core/build/source_folders.h"
#include "core/build/store_build.h"
#include "core/cli/needs.h"
#include "core/cli/opened_project.h"
#include "core/cli/part_run.h"
#include "core/cli/plugin_queues.h"
#include "core/cli/run_folder.h"
#include "core/cli/session.h"
#include "queues/pipeline.h"

namespace weir::cli {

class RunWork {
 public:
  struct Parts {
    const OpenedProject& opened;
    PlannedTargets& planned;
    store::Store& store;
    const RunFolder& folder;
    Arenas& arenas;
    LoopDoors doors;
    const ProjectNeeds& needs;  // of all that is planned
    StoreBuild::Mode mode;
    RemoteLines& remotes;
    ProjectRemotes::Asking asking;
    bool push = true;
    // What is different about an element whose build failed, since that run.
    std::function<void(std::string_view element, std::uint64_t since, std::span<const std::string> changes)>
        tell_changes;
    // On the loop's thread.
    std::function<void(std::string_view message)> warn;
  };
  explicit RunWork(const Parts& parts);

  Result<Row> make_row(const RunRequest& request);
  LocalExecutorOptions executor_options();
  // What the request says of the elements that are wanted. After the row is made, before the run.
  void prepare(const RunRequest& request, std::span<const ElementId> wanted);
  // What a snapshot knows to be there.
  void know(const FoundSnapshot& found, const OpenedPart& part);
  // What became of an element; `arrived`: it went through the whole row.
  snapshot::Outcome outcome(ElementId element, bool arrived) const;
  // When nothing is left to do: waits until all is kept. The first trouble with that.
  Status keep_all();
  // After the run: tells what is only known then, and returns the exit code.
  int finish(int exit);
  // After keep_all(): all that was made is in the store.
  bool all_kept() const { return all_kept_; }

 private:
  void explain_failure(ElementId element, const store::Digest& recipe);

  Parts parts_;
  bool all_kept_ = true;
  Failures failures_;
  ProjectSources sources_;
  StoreBuild build_;
  BuiltNotes notes_;
  std::optional<LastBuilt> last_;  // read when it is first needed
  JobFolders folders_;
  SourceFolders source_folders_;
  ProjectRemotes remotes_;
  PluginQueues plugin_queues_;
};

}  // namespace weir::cli
