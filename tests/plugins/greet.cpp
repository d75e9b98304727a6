// An element kind with the header of its type and nothing else, built with the library of the SDK (greet) and
// header-only (greet-alone).
#include <weir/element.hpp>

namespace {

using namespace weir::sdk;

struct Greet {
  static constexpr std::string_view kind = WEIR_TEST_KIND;
  static constexpr std::uint32_t version = 1;

  static void resolve(ConfigReader& config) {
    config.text("name", "world");
    config.integer("times", 1, 1, 9);
    config.texts_for_later("test");
  }
  static Plan plan(const ElementRequest& request) {
    const auto name = request.config.text("name");
    if (name == "nobody") throw Refused{"nobody is there", "name somebody", "name"};
    Plan plan;
    plan.environment.emplace("NAME", name);
    plan.steps.run({"greet", name}, "build/sub", {{3, "network"}}).write("install/greeted", "yes\n", true);
    return plan;
  }
};

}  // namespace

WEIR_PLUGIN("test-greet", "1", element<Greet>())
