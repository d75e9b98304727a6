// An element kind whose library does something as soon as it is loaded, as a project's may: it writes the
// file that WEIR_TEST_MARK names.
#include <cstdio>
#include <cstdlib>

#include <weir/element.hpp>

namespace {

using namespace weir::sdk;

__attribute__((constructor)) void leave_a_mark() {
  const char* name = std::getenv("WEIR_TEST_MARK");
  if (std::FILE* file = name ? std::fopen(name, "a") : nullptr) std::fclose(file);
}

struct Evil {
  static constexpr std::string_view kind = "evil";
  static constexpr std::uint32_t version = 1;

  static void resolve(ConfigReader&) {}
  static Plan plan(const ElementRequest&) {
    Plan plan;
    plan.steps.shell("echo evil > \"$WEIR_OUT/evil\"");
    return plan;
  }
};

}  // namespace

WEIR_PLUGIN("test-evil", "1", element<Evil>())
