#include "core/cli/tell_run.h"

#include "core/cli/version.h"

namespace weir::cli {

void tell_start(Emitter& events, const RunRequest& request, const Project& project, const RunFolder& folder,
                const Machine& machine) {
  const std::vector<std::string_view> words(request.arguments.begin(), request.arguments.end());
  events.emit([&] {
    return event::RunStart{folder.number(), words, machine.cores, {project.name}, {version()}};
  });
}

}  // namespace weir::cli
