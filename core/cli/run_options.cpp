#include "core/cli/run_options.h"

#include <CLI/CLI.hpp>

#include "core/cli/command_settings.h"
#include "core/cli/sandbox_option.h"
#include "core/cli/value_checks.h"

namespace weir::cli {

void add_target_options(CLI::App& app, RunOptions& options, const std::string& without) {
  app.add_option("targets", options.targets,
                 "elements, by name or glob (* within a part of the path, ** across); without any " + without)
      ->type_name("TARGET");
  app.add_option("--events", options.events, "write every event as a line of JSON; - is standard output")
      ->type_name("FILE");
  app.add_option("--junit", options.junit, "write a JUnit report of the run to this file")->type_name("FILE");
  app.add_flag("--ci", options.ci, "output for the log of a CI system");
  app.add_flag("--json", options.json,
               "at the end, what became of it as JSON on standard output, for programs");
}

void add_remote_options(CLI::App& app, RunOptions& options) {
  app.add_option("--remote", options.remote, "the one remote to use, instead of those of the settings")
      ->type_name("URL");
}

void add_run_options(CLI::App& app, RunOptions& options) {
  add_target_options(app, options, "the project's default");
  app.add_option("-j", options.jobs, "how many cores all jobs together may use; auto is all of this machine")
      ->check(one_of({"auto"}))
      ->check(whole_number(1, 1'000'000))
      ->type_name("N");
  app.add_option("--requestor", options.requestor, "who asks for it, which decides on the class of its jobs")
      ->type_name("NAME");
  app.add_option("--on-error", options.on_error,
                 "when a job fails: quit when those that run are done, continue with all that can be built, "
                 "or terminate at once")
      ->check(one_of({"quit", "continue", "terminate"}))
      ->type_name("POLICY");
  add_sandbox_option(app, options.sandbox,
                     "what a build sees: the tools of the host, staged elements alone, or no sandbox (none)");
  add_remote_options(app, options);
  app.add_flag("--no-remote", options.no_remote, "neither pull nor push")->excludes("--remote");
  app.add_flag("--no-push", options.no_push, "pull, and push nothing");
}

RunRequest request_of(const RunOptions& options, Work work, const std::string& command,
                      const Globals& globals) {
  RunRequest request;
  request.work = work;
  request.directory = globals.directory;
  request.targets = options.targets;
  request.quiet = globals.quiet;
  request.verbose = globals.verbose;
  request.settings = command_settings(globals, options.sandbox);
  request.arguments = {command};
  request.arguments.insert(request.arguments.end(), options.targets.begin(), options.targets.end());
  if (!options.events.empty()) request.events = options.events;
  if (!options.junit.empty()) request.junit = options.junit;
  request.ci = options.ci;
  request.json = options.json;
  const auto set = [&](const char* name, const std::string& value, const std::string& option) {
    if (!value.empty()) request.settings.push_back({name, value, option + " " + value});
  };
  set("resources.process", options.jobs, "-j");
  set("on-error", options.on_error, "--on-error");
  set("remotes", options.remote, "--remote");
  if (options.no_remote) request.settings.push_back({"remotes", "none", "--no-remote"});
  request.no_push = options.no_push;
  set("requestor", options.requestor, "--requestor");
  return request;
}

}  // namespace weir::cli
