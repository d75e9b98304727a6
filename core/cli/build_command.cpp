#include <memory>

#include "core/cli/args.h"
#include "core/cli/run_options.h"

namespace weir::cli {

namespace {

struct BuildOptions {
  RunOptions run;
  bool dry_run = false, check = false, force = false, retry_failed = false, rebuild_check = false,
       track = false;
};

RunRequest request_of(const BuildOptions& options, const Globals& globals) {
  auto request = request_of(options.run, Work::build, "build", globals);
  request.force = options.force;
  request.dry_run = options.dry_run;
  request.check = options.check;
  request.retry_failed = options.retry_failed;
  request.rebuild_check = options.rebuild_check;
  request.track = options.track;
  return request;
}

}  // namespace

Run add_build_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<BuildOptions>();
  add_run_options(command, options->run);
  command.add_flag("--track", &options->track,
                   "find out the newest refs of all sources first, and keep them in weir.lock");
  command.add_flag("--dry-run", &options->dry_run, "only say what would be built");
  command.add_flag("--check", &options->check, "build nothing; exit 3 if there is something to build");
  command.add_flag("--force", &options->force, "build the targets again although they are cached");
  command.add_flag("--retry-failed", &options->retry_failed,
                   "build also what failed before with the same inputs");
  command.add_flag("--rebuild-check", &options->rebuild_check,
                   "build everything twice and compare what comes out");
  command.explain(
      "Brings the sources, pulls what a remote has, and builds the rest, as many jobs at a time as the "
      "machine has room for. "
      "What is in the store already is not built again.",
      "weir build\nweir build app 'tools/*' -j 4\nweir build --on-error continue --events build.jsonl\n"
      "weir build --check || echo there is work");
  return [options, &globals] { return run_pipeline(request_of(*options, globals)); };
}

}  // namespace weir::cli
