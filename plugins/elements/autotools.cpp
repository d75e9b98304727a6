// autotools: configure (made by autoreconf where there is none), make, make install; out of tree.
#include "plugins/elements/elements.h"
#include "plugins/elements/phases.h"

namespace weir {

namespace {

class AutotoolsKind final : public PhasedKind {
 public:
  std::string_view name() const override { return "autotools"; }
  std::uint32_t version() const override { return 1; }
  std::vector<std::string> host_tools() const override {
    return {"autoconf", "automake", "c++", "cc", "ld", "libtoolize", "m4", "make", "pkg-config", "sh"};
  }

 protected:
  std::vector<Step> configure(const ElementPlaces& places, const Words& arguments) const override {
    const std::string prefix(places.prefix);
    return {run({"sh", "-e", "-c", "[ -x configure ] || autoreconf --force --install"}),
            run({"mkdir", "-p", std::string(kTree)}),
            run({"../configure", "--prefix=" + prefix, "--libdir=" + prefix + "/lib"}, arguments, tree())};
  }
  std::vector<Step> build(const ElementPlaces&, const Words& arguments) const override {
    return {run({"make", "-j%{jobs}"}, arguments, tree())};
  }
  std::vector<Step> install(const ElementPlaces& places, const Words& arguments) const override {
    return {run({"make", "install", "DESTDIR=" + std::string(places.install)}, arguments, tree())};
  }

 private:
  static std::string tree() { return "build/" + std::string(kTree); }
};

}  // namespace

std::unique_ptr<ElementKind> make_autotools_kind() { return std::make_unique<AutotoolsKind>(); }

}  // namespace weir
