#include "core/cli/plugin_template.h"

namespace weir::cli {

namespace {

constexpr std::string_view kElement = R"code(// @kind@: a text, kept as share/@kind@.txt.
//
//   [element.hello]
//   kind = "@kind@"
//   config.text = "Hello."
#include <weir/element.hpp>

using namespace weir::sdk;

struct @Kind@Element {
  static constexpr std::string_view kind = "@kind@";
  // Part of every key: raise it when the same configuration gives another result.
  static constexpr std::uint32_t version = 1;
  // Programs of the machine whose versions decide on the result.
  static constexpr std::string_view host_tools = R"(["sh"])";
  // A configuration that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"text":"Hello."})";

  // Asks for the keys that users may write, and refuses all others.
  static void resolve(ConfigReader& config) {
    if (config.text("text", "Hello.").empty()) config.complain("text", "\"text\" is empty", "leave it away, or write something");
  }
  // What weir is to run. What users wrote is a word of its own: no shell reads it as anything but text.
  static Plan plan(const ElementRequest& request) {
    Plan plan;
    plan.steps.run({"sh", "-e", "-c", R"(mkdir -p "$WEIR_OUT/share" && printf '%s\n' "$1" >"$WEIR_OUT/share/@kind@.txt")", "@kind@",
                    request.config.text("text")});
    return plan;
  }
};

WEIR_PLUGIN("@kind@-plugin", "0.1", element<@Kind@Element>())
)code";

constexpr std::string_view kElementProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["check"]

[element.hello]
kind = "@kind@"
config.text = "Hello from @kind@."

# Fails if what was built is not what it should be.
[element.check]
kind = "script"
depends = ["hello"]
config.commands = ["test \"$(cat $WEIR_PREFIX/share/@kind@.txt)\" = 'Hello from @kind@.'"]
)";

}  // namespace

PluginTemplate element_template() { return {kElement, kElementProject}; }

}  // namespace weir::cli
