// weir test: builds what is needed, then runs the tests of the targets.
#include <memory>

#include "core/cli/args.h"
#include "core/cli/run_options.h"

namespace weir::cli {

namespace {

struct TestOptions {
  RunOptions run;
  bool force = false;
};

}  // namespace

Run add_test_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<TestOptions>();
  add_run_options(command, options->run);
  command.add_flag("--force", &options->force, "test again although the same was tested before");
  command.explain(
      "Tests are the commands that an element has for them. What passed with the same inputs is not "
      "tested again.",
      "weir test\nweir test app --force");
  return [options, &globals] {
    auto request = request_of(options->run, Work::test, "test", globals);
    request.force = options->force;
    return run_pipeline(request);
  };
}

}  // namespace weir::cli
