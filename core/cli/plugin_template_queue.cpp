#include "core/cli/plugin_template.h"

namespace weir::cli {

namespace {

constexpr std::string_view kQueue =
    R"code(// @kind@: refuses what brings more files to the prefix than a project wants, and keeps a list of them
// with the log.
//
//   [pipeline]
//   queues = ["pull", "fetch", "build", "@kind@", "push"]
//   [queue.@kind@]
//   most = 100
#include <weir/queue.hpp>

using namespace weir::sdk;

struct @Kind@Queue {
  static constexpr std::string_view kind = "@kind@";
  // Raise it when the same artifact gives another result: it is then looked at again.
  static constexpr std::uint32_t version = 1;
  // Programs of the machine whose versions decide on the result.
  static constexpr std::string_view host_tools = R"(["sh","find"])";
  // A configuration that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"most":100})";

  // Asks for the keys of [queue.@kind@] that users may write, and refuses all others.
  static void resolve(ConfigReader& config) { config.integer("most", 1000, 0, 1'000'000); }
  // Whether there is something to do for an element.
  static Classified classify(const QueueRequest& request) {
    return request.element.text("kind") == "stack" ? skip("a stack has no files of its own") : ready();
  }
  // What weir is to run, with the artifact and all it was built with in place at $WEIR_PREFIX.
  static Plan plan(const QueueRequest& request) {
    Plan plan;
    plan.steps.run({"sh", "-e", "-c", kCount, "@kind@", std::to_string(request.config.integer("most"))});
    return plan;
  }

 private:
  static constexpr const char* kCount = R"(
mkdir -p "$WEIR_OUT"
find "$WEIR_PREFIX" -type f | sort >"$WEIR_OUT/files.txt"
count=$(wc -l <"$WEIR_OUT/files.txt")
test "$count" -le "$1" || { echo "there are $count files, and $1 are allowed" >&2; exit 1; }
)";
};

WEIR_PLUGIN("@kind@-plugin", "0.1", queue<@Kind@Queue>())
)code";

constexpr std::string_view kQueueProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["hello"]

[pipeline]
queues = ["pull", "fetch", "build", "@kind@", "push"]

[queue.@kind@]
most = 1

[element.hello]
kind = "script"
config.commands = ["mkdir -p $WEIR_OUT/share", "echo Hello. > $WEIR_OUT/share/hello.txt"]
)";

// A queue that was left out would not be missed otherwise.
constexpr std::string_view kExpectJob =
    R"(set_tests_properties(example PROPERTIES PASS_REGULAR_EXPRESSION "done +@kind@ hello")
)";

}  // namespace

PluginTemplate queue_template() { return {kQueue, kQueueProject, {}, kExpectJob}; }

}  // namespace weir::cli
