// cmake: configure, build and install out of tree. The environment has CMAKE_PREFIX_PATH, so that a library
// of a dependency is found before one of the host.
#include "plugins/elements/phases.h"

namespace weir::kinds {

struct Cmake : Phased<Cmake> {
  static constexpr std::string_view kind = "cmake";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view host_tools = R"(["c++","cc","cmake","ld","make","pkg-config","sh"])";

  static Steps configure(const ElementRequest& request, const Words& arguments) {
    return Steps().run(with({"cmake", "-S", ".", "-B", std::string(kTree), "-G", "Unix Makefiles",
                             "-DCMAKE_INSTALL_PREFIX=" + request.prefix, "-DCMAKE_INSTALL_LIBDIR=lib",
                             "-DCMAKE_BUILD_TYPE=Release"},
                            arguments));
  }
  static Steps build(const ElementRequest&, const Words& arguments) {
    return Steps().run(with({"cmake", "--build", std::string(kTree), "--parallel", "%{jobs}"}, arguments));
  }
  // DESTDIR is in the environment.
  static Steps install(const ElementRequest&, const Words& arguments) {
    return Steps().run(with({"cmake", "--install", std::string(kTree)}, arguments));
  }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::element<weir::kinds::Cmake>())
