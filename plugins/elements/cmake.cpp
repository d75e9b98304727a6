// cmake: configure, build and install out of tree. The environment has CMAKE_PREFIX_PATH, so that a library of a
// dependency is found before one of the host.
#include "plugins/elements/elements.h"
#include "plugins/elements/phases.h"

namespace weir {

namespace {

class CmakeKind final : public PhasedKind {
 public:
  std::string_view name() const override { return "cmake"; }
  std::uint32_t version() const override { return 1; }
  std::vector<std::string> host_tools() const override {
    return {"c++", "cc", "cmake", "ld", "make", "pkg-config", "sh"};
  }

 protected:
  std::vector<Step> configure(const ElementPlaces& places, const Words& arguments) const override {
    const std::string prefix(places.prefix);
    return {run({"cmake", "-S", ".", "-B", std::string(kTree), "-G", "Unix Makefiles", "-DCMAKE_INSTALL_PREFIX=" + prefix,
                 "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_BUILD_TYPE=Release"},
                arguments)};
  }
  std::vector<Step> build(const ElementPlaces&, const Words& arguments) const override {
    return {run({"cmake", "--build", std::string(kTree), "--parallel", "%{jobs}"}, arguments)};
  }
  std::vector<Step> install(const ElementPlaces&, const Words& arguments) const override {
    return {run({"cmake", "--install", std::string(kTree)}, arguments)};  // DESTDIR is in the environment
  }
};

}  // namespace

std::unique_ptr<ElementKind> make_cmake_kind() { return std::make_unique<CmakeKind>(); }

}  // namespace weir
