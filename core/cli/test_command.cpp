// weir test: builds what is needed, then runs the tests of the targets.
#include <CLI/CLI.hpp>
#include <memory>

#include "core/cli/declare.h"
#include "core/cli/run_options.h"

namespace weir::cli {

namespace {

struct TestOptions {
  RunOptions run;
  bool force = false;
};

}  // namespace

Run add_test_command(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<TestOptions>();
  add_run_options(app, options->run);
  app.add_flag("--force", options->force, "test again although the same was tested before");
  explain(app,
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
