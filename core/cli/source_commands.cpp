// weir track and weir fetch: the first two queues, each alone.
#include <CLI/CLI.hpp>
#include <memory>

#include "core/cli/command.h"
#include "core/cli/dependency_scope.h"
#include "core/cli/session.h"

namespace weir::cli {

namespace {

struct SourceOptions {
  std::vector<std::string> targets;
  std::string deps, events;
};

RunRequest request_of(const SourceOptions& options, Work work, const Globals& globals) {
  RunRequest request;
  request.work = work;
  request.directory = globals.directory;
  request.quiet = globals.quiet;
  request.verbose = globals.verbose;
  request.targets = options.targets;
  if (work == Work::track && request.targets.empty()) request.targets = {"**"};
  request.scope = scope_of(options.deps);
  request.arguments = {work == Work::track ? "track" : "fetch"};
  request.arguments.insert(request.arguments.end(), options.targets.begin(), options.targets.end());
  if (!options.events.empty()) request.events = options.events;
  return request;
}

Run add_source_command(CLI::App& app, const Globals& globals, Work work, std::string without, std::string deps) {
  const auto options = std::make_shared<SourceOptions>();
  options->deps = std::move(deps);
  app.add_option("targets", options->targets, "elements, by name or glob; without any " + without)->type_name("TARGET");
  add_scope_option(app, options->deps);
  app.add_option("--events", options->events, "write every event as a line of JSON; - is standard output")->type_name("FILE");
  return [options, work, &globals] { return run_pipeline(request_of(*options, work, globals)); };
}

}  // namespace

Run add_track_command(CLI::App& app, const Globals& globals) {
  return add_source_command(app, globals, Work::track, "all of them", "none");
}

Run add_fetch_command(CLI::App& app, const Globals& globals) {
  return add_source_command(app, globals, Work::fetch, "the project's default", "all");
}

}  // namespace weir::cli
