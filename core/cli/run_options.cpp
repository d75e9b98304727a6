#include "core/cli/run_options.h"

#include "core/cli/args.h"
#include "core/cli/command_settings.h"
#include "core/cli/sandbox_option.h"

namespace weir::cli {

void add_target_options(Command& command, RunOptions& options, const std::string& without) {
  command.add_word(
      "targets", &options.targets, "TARGET",
      "elements, by name or glob (* within a part of the path, ** across); without any " + without);
  command.add_option("--events", &options.events, "FILE",
                     "write every event as a line of JSON; - is standard output");
  command.add_option("--junit", &options.junit, "FILE", "write a JUnit report of the run to this file");
  command.add_flag("--ci", &options.ci, "output for the log of a CI system");
  command.add_flag("--json", &options.json,
                   "at the end, what became of it as JSON on standard output, for programs");
}

void add_remote_options(Command& command, RunOptions& options) {
  command.add_option("--remote", &options.remote, "URL",
                     "the one remote to use, instead of those of the settings");
}

void add_run_options(Command& command, RunOptions& options) {
  add_target_options(command, options, "the project's default");
  command
      .add_option("-j", &options.jobs, "N",
                  "how many cores all jobs together may use; auto is all of this machine")
      .one_of({"auto"})
      .in_range(1, 1'000'000);
  command.add_option("--requestor", &options.requestor, "NAME",
                     "who asks for it, which decides on the class of its jobs");
  command
      .add_option("--on-error", &options.on_error, "POLICY",
                  "when a job fails: quit when those that run are done, continue with all that can be built, "
                  "or terminate at once")
      .one_of({"quit", "continue", "terminate"});
  add_sandbox_option(command, options.sandbox,
                     "what a build sees: the tools of the host, staged elements alone, or no sandbox (none)");
  add_remote_options(command, options);
  command.add_flag("--no-remote", &options.no_remote, "neither pull nor push");
  command.exclude("--remote", "--no-remote");
  command.add_flag("--no-push", &options.no_push, "pull, and push nothing");
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
