// make: `make`, then `make install` with the prefix and DESTDIR.
#include "plugins/elements/phases.h"

namespace weir::kinds {

struct Make : Phased<Make> {
  static constexpr std::string_view kind = "make";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view host_tools = R"(["cc","c++","ld","make","sh"])";

  static Steps build(const ElementRequest&, const Words& arguments) {
    return Steps().run(with({"make", "-j%{jobs}"}, arguments));
  }
  static Steps install(const ElementRequest& request, const Words& arguments) {
    const auto& prefix = request.prefix;
    return Steps().run(
        with({"make", "install", "PREFIX=" + prefix, "prefix=" + prefix, "DESTDIR=" + request.install},
             arguments));
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::element<weir::kinds::Make>())
