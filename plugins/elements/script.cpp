// script: commands = ["cc -o $WEIR_OUT/bin/hello hello.c"], each run by a shell of its own in the build directory.
#include "plugins/elements/elements.h"
#include "plugins/sdk/config_reader.h"

namespace weir {

namespace {

class ScriptKind final : public ElementKind {
 public:
  std::string_view name() const override { return "script"; }
  std::uint32_t version() const override { return 1; }
  std::vector<std::string> host_tools() const override { return {"sh", "cc", "c++", "ld", "make"}; }
  ResolvedConfig resolve(std::string_view config) const override {
    ConfigReader reader(config);
    reader.texts("commands");
    return reader.finish();
  }
  Result<ElementPlan> plan(std::string_view resolved, const ElementPlaces&) const override {
    ElementPlan plan;
    for (auto& command : texts_in(resolved, "commands")) plan.steps.push_back(RunStep{{"sh", "-e", "-c", std::move(command)}});
    return plan;
  }
};

}  // namespace

std::unique_ptr<ElementKind> make_script_kind() { return std::make_unique<ScriptKind>(); }

}  // namespace weir
