// script: commands = ["cc -o $WEIR_OUT/bin/hello hello.c"], each run by a shell of its own in the build
// directory.
#include <weir/element.hpp>

namespace weir::kinds {

using namespace sdk;

struct Script {
  static constexpr std::string_view kind = "script";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view host_tools = R"(["sh","cc","c++","ld","make"])";
  static constexpr std::string_view example = R"({"commands":["true"]})";

  static void resolve(ConfigReader& config) {
    config.texts("commands");
    config.texts_for_later("test");
  }
  static Plan plan(const ElementRequest& request) {
    Plan plan;
    for (const auto& command : request.config.texts("commands")) plan.steps.shell(command);
    return plan;
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::element<weir::kinds::Script>())
