// weir track and weir fetch: the first two queues, each alone.
#include <memory>

#include "core/cli/args.h"
#include "core/cli/dependency_scope.h"
#include "core/cli/run_options.h"

namespace weir::cli {

namespace {

struct SourceOptions {
  RunOptions run;
  std::string deps;
};

RunRequest request_of(const SourceOptions& options, Work work, const Globals& globals) {
  auto request = request_of(options.run, work, work == Work::track ? "track" : "fetch", globals);
  if (work == Work::track && request.targets.empty()) request.targets = {"**"};
  request.scope = scope_of(options.deps);
  return request;
}

Run add_source_command(Command& command, const Globals& globals, Work work, const std::string& without,
                       std::string deps) {
  const auto options = std::make_shared<SourceOptions>();
  options->deps = std::move(deps);
  add_target_options(command, options->run, without);
  add_scope_option(command, options->deps);
  return [options, work, &globals] { return run_pipeline(request_of(*options, work, globals)); };
}

}  // namespace

Run add_track_command(Command& command, const Globals& globals) {
  command.explain("A ref that is in weir.lock is what is built, on every machine, until it is tracked again.",
                  "weir track\nweir track app --deps all");
  return add_source_command(command, globals, Work::track, "all of them", "none");
}

Run add_fetch_command(Command& command, const Globals& globals) {
  command.explain("What is fetched is kept, so a build after it needs no network for sources.",
                  "weir fetch\nweir fetch app --deps none");
  return add_source_command(command, globals, Work::fetch, "the project's default", "all");
}

}  // namespace weir::cli
