// stack: a name for its dependencies. Its own artifact is empty.
#include <weir/element.hpp>

namespace weir::kinds {

using namespace sdk;

struct Stack {
  static constexpr std::string_view kind = "stack";
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t flags = WEIR_ELEMENT_ALONE;

  static void resolve(ConfigReader&) {}
  static Plan plan(const ElementRequest&) { return {}; }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::element<weir::kinds::Stack>())
