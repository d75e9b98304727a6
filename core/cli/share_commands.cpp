// weir pull and weir push: artifacts from remotes and to remotes, each queue alone.
#include <memory>

#include "core/cli/args.h"
#include "core/cli/dependency_scope.h"
#include "core/cli/run_options.h"
#include "core/cli/sandbox_option.h"

namespace weir::cli {

namespace {

struct ShareOptions {
  RunOptions run;
  std::string deps;
};

Run add_share_command(Command& command, const Globals& globals, Work work, const char* name, std::string deps,
                      std::string details) {
  const auto options = std::make_shared<ShareOptions>();
  options->deps = std::move(deps);
  add_target_options(command, options->run, "the project's default");
  add_remote_options(command, options->run);
  add_scope_option(command, options->deps);
  add_sandbox_option(command, options->run.sandbox,
                     "as it is to be built; what is built with none is not shared");
  command.explain(std::move(details), std::string("weir ") + name + " app\nweir " + name +
                                          " app --deps none --remote https://cache.example/weir");
  return [options, work, name, &globals] {
    auto request = request_of(options->run, work, name, globals);
    request.scope = scope_of(options->deps);
    return run_pipeline(request);
  };
}

}  // namespace

Run add_pull_command(Command& command, const Globals& globals) {
  return add_share_command(command, globals, Work::pull, "pull", "run", "");
}
Run add_push_command(Command& command, const Globals& globals) {
  return add_share_command(
      command, globals, Work::push, "push", "all",
      "Nothing is built. A target that is not cached is an error (exit code 1); the others "
      "are pushed. Dependencies that are not cached are skipped.");
}

}  // namespace weir::cli
