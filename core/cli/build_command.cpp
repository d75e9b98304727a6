#include <CLI/CLI.hpp>
#include <memory>

#include "core/cli/command.h"
#include "core/cli/session.h"

namespace weir::cli {

namespace {

struct BuildOptions {
  std::vector<std::string> targets;
  std::string jobs, on_error, sandbox, events;
  bool dry_run = false, check = false, force = false, retry_failed = false, rebuild_check = false, track = false;
};

RunRequest request_of(const BuildOptions& options, const Globals& globals) {
  RunRequest request;
  request.directory = globals.directory;
  request.targets = options.targets;
  request.quiet = globals.quiet;
  request.verbose = globals.verbose;
  request.arguments = {"build"};
  request.arguments.insert(request.arguments.end(), options.targets.begin(), options.targets.end());
  request.force = options.force;
  request.dry_run = options.dry_run;
  request.check = options.check;
  request.retry_failed = options.retry_failed;
  request.rebuild_check = options.rebuild_check;
  request.track = options.track;
  if (!options.events.empty()) request.events = options.events;
  if (!options.jobs.empty()) request.settings.push_back({"resources.process", options.jobs, "-j " + options.jobs});
  if (!options.on_error.empty())
    request.settings.push_back({"on-error", options.on_error, "--on-error " + options.on_error});
  if (!options.sandbox.empty()) request.settings.push_back({"sandbox", options.sandbox, "--sandbox " + options.sandbox});
  return request;
}

}  // namespace

Run add_build_command(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<BuildOptions>();
  app.add_option("targets", options->targets, "elements, by name or glob; without any the project's default")
      ->type_name("TARGET");
  app.add_option("-j", options->jobs, "how many cores all jobs together may use")->type_name("N");
  app.add_option("--on-error", options->on_error, "quit, continue or terminate")->type_name("POLICY");
  app.add_option("--sandbox", options->sandbox, "host, staged or none")->type_name("ROOT");
  app.add_option("--events", options->events, "write every event as a line of JSON; - is standard output")
      ->type_name("FILE");
  app.add_flag("--track", options->track, "find out the newest refs of all sources first, and keep them in weir.lock");
  app.add_flag("--dry-run", options->dry_run, "only say what would be built");
  app.add_flag("--check", options->check, "build nothing; exit 3 if there is something to build");
  app.add_flag("--force", options->force, "build the targets again although they are cached");
  app.add_flag("--retry-failed", options->retry_failed, "build also what failed before with the same inputs");
  app.add_flag("--rebuild-check", options->rebuild_check, "build everything twice and compare what comes out");
  return [options, &globals] { return run_pipeline(request_of(*options, globals)); };
}

}  // namespace weir::cli
