// make: `make`, then `make install` with the prefix and DESTDIR.
#include "plugins/elements/elements.h"
#include "plugins/elements/phases.h"

namespace weir {

namespace {

class MakeKind final : public PhasedKind {
 public:
  std::string_view name() const override { return "make"; }
  std::uint32_t version() const override { return 1; }
  std::vector<std::string> host_tools() const override { return {"cc", "c++", "ld", "make", "sh"}; }

 protected:
  bool has_configure() const override { return false; }
  std::vector<Step> configure(const ElementPlaces&, const Words&) const override { return {}; }
  std::vector<Step> build(const ElementPlaces&, const Words& arguments) const override {
    return {run({"make", "-j%{jobs}"}, arguments)};
  }
  std::vector<Step> install(const ElementPlaces& places, const Words& arguments) const override {
    const std::string prefix(places.prefix);
    return {run({"make", "install", "PREFIX=" + prefix, "prefix=" + prefix, "DESTDIR=" + std::string(places.install)}, arguments)};
  }
};

}  // namespace

std::unique_ptr<ElementKind> make_make_kind() { return std::make_unique<MakeKind>(); }

}  // namespace weir
