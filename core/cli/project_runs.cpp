#include "core/cli/project_runs.h"

#include "core/base/print.h"
#include "core/cli/command_settings.h"
#include "core/cli/tell.h"
#include "core/project/load.h"

namespace weir::cli {

tl::expected<ProjectRuns, int> open_runs(const Globals& globals) {
  // No kinds are known, so none is wrong: names and folders are all that counts here.
  auto loaded = load_project({.directory = globals.directory});
  if (loaded.project.root.empty()) return tl::unexpected(tell(loaded.diagnostics, loaded.files));
  auto settings = load_settings({nullptr, command_settings(globals), {}}, {});
  if (!settings.ok()) return tl::unexpected(tell(settings.diagnostics, settings.files));
  if (!loaded.ok() && !globals.quiet)
    weir::print(stderr, "weir: the project has errors, its runs are shown all the same\n");
  auto runs = list_runs(settings.settings.cache_dir.value, loaded.project.name, loaded.project.root);
  return ProjectRuns{std::move(loaded.project), std::move(settings.settings), std::move(runs)};
}

}  // namespace weir::cli
