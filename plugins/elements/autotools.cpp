// autotools: configure (made by autoreconf where there is none), make, make install; out of tree.
#include "plugins/elements/phases.h"

namespace weir::kinds {

struct Autotools : Phased<Autotools> {
  static constexpr std::string_view kind = "autotools";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view host_tools =
      R"(["autoconf","automake","c++","cc","ld","libtoolize","m4","make","pkg-config","sh"])";

  static Steps configure(const ElementRequest& request, const Words& arguments) {
    const auto& prefix = request.prefix;
    return Steps()
        .run({"sh", "-e", "-c", "[ -x configure ] || autoreconf --force --install"})
        .run({"mkdir", "-p", std::string(kTree)})
        .run(with({"../configure", "--prefix=" + prefix, "--libdir=" + prefix + "/lib"}, arguments), tree());
  }
  static Steps build(const ElementRequest&, const Words& arguments) {
    return Steps().run(with({"make", "-j%{jobs}"}, arguments), tree());
  }
  static Steps install(const ElementRequest& request, const Words& arguments) {
    return Steps().run(with({"make", "install", "DESTDIR=" + request.install}, arguments), tree());
  }

 private:
  static std::string tree() { return "build/" + std::string(kTree); }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::element<weir::kinds::Autotools>())
