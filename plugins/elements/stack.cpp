// stack: a name for its dependencies. Its own artifact is empty.
#include "plugins/elements/elements.h"
#include "plugins/sdk/config_reader.h"

namespace weir {

namespace {

class StackKind final : public ElementKind {
 public:
  std::string_view name() const override { return "stack"; }
  std::uint32_t version() const override { return 1; }
  bool stages_dependencies() const override { return false; }
  ResolvedConfig resolve(std::string_view config) const override { return ConfigReader(config).finish(); }
  Result<ElementPlan> plan(std::string_view, const ElementPlaces&) const override { return ElementPlan{}; }
};

}  // namespace

std::unique_ptr<ElementKind> make_stack_kind() { return std::make_unique<StackKind>(); }

}  // namespace weir
