// meson: setup, compile and install out of tree, with ninja.
#include "plugins/elements/phases.h"

namespace weir::kinds {

struct Meson : Phased<Meson> {
  static constexpr std::string_view kind = "meson";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view host_tools = R"(["c++","cc","ld","meson","ninja","pkg-config","sh"])";

  static Steps configure(const ElementRequest& request, const Words& arguments) {
    return Steps().run(with({"meson", "setup", std::string(kTree), "--prefix=" + request.prefix,
                             "--libdir=lib", "--buildtype=release", "--wrap-mode=nodownload"},
                            arguments));
  }
  static Steps build(const ElementRequest&, const Words& arguments) {
    return Steps().run(with({"ninja", "-C", std::string(kTree), "-j", "%{jobs}"}, arguments));
  }
  // DESTDIR is in the environment.
  static Steps install(const ElementRequest&, const Words& arguments) {
    return Steps().run(with({"meson", "install", "-C", std::string(kTree), "--no-rebuild"}, arguments));
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::element<weir::kinds::Meson>())
