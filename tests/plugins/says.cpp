// An element kind that is built several times: the same name and version, other commands.
#include <weir/element.hpp>

namespace {

using namespace weir::sdk;

struct Says {
  static constexpr std::string_view kind = "says";
  static constexpr std::uint32_t version = 1;

  static void resolve(ConfigReader&) {}
  static Plan plan(const ElementRequest&) {
    Plan plan;
    plan.steps.shell("mkdir -p $WEIR_OUT && echo " WEIR_TEST_WORD " > $WEIR_OUT/word");
    plan.steps.shell("test " WEIR_TEST_WORD " != broken");
    return plan;
  }
};

}  // namespace

WEIR_PLUGIN("test-says", "1", element<Says>())
