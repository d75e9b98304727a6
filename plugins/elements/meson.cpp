// meson: setup, compile and install out of tree, with ninja.
#include "plugins/elements/elements.h"
#include "plugins/elements/phases.h"

namespace weir {

namespace {

class MesonKind final : public PhasedKind {
 public:
  std::string_view name() const override { return "meson"; }
  std::uint32_t version() const override { return 1; }
  std::vector<std::string> host_tools() const override {
    return {"c++", "cc", "ld", "meson", "ninja", "pkg-config", "sh"};
  }

 protected:
  std::vector<Step> configure(const ElementPlaces& places, const Words& arguments) const override {
    return {run({"meson", "setup", std::string(kTree), "--prefix=" + std::string(places.prefix), "--libdir=lib",
                 "--buildtype=release", "--wrap-mode=nodownload"},
                arguments)};
  }
  std::vector<Step> build(const ElementPlaces&, const Words& arguments) const override {
    return {run({"ninja", "-C", std::string(kTree), "-j", "%{jobs}"}, arguments)};
  }
  std::vector<Step> install(const ElementPlaces&, const Words& arguments) const override {
    return {run({"meson", "install", "-C", std::string(kTree), "--no-rebuild"}, arguments)};  // DESTDIR is in the environment
  }
};

}  // namespace

std::unique_ptr<ElementKind> make_meson_kind() { return std::make_unique<MesonKind>(); }

}  // namespace weir
