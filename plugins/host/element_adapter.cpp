#include <fmt/format.h>

#include "core/base/utf8.h"
#include "plugins/host/adapter.h"
#include "plugins/host/adapters.h"

namespace weir {

namespace {

class PluginElement final : public Adapter<ElementKind, weir_element_v1> {
 public:
  using Adapter::Adapter;

  bool stages_dependencies() const override { return (table().head.flags & WEIR_ELEMENT_ALONE) == 0; }
  Result<ResolvedConfig> resolve(std::string_view config) const override {
    return resolve_with(table().resolve, config);
  }
  Result<ElementPlan> plan(std::string_view resolved, const ElementPlaces& places) const override {
    if (!is_utf8(places.install) || !is_utf8(places.prefix))
      return fail(Reason::project, "the cache is in a folder whose name is no UTF-8", "use another one");
    std::string document;
    JsonWriter json(document);
    json.begin_object()
        .key("config")
        .raw(resolved)
        .key("install")
        .value(places.install)
        .key("prefix")
        .value(places.prefix)
        .end_object();
    return ask_and_read("plan", table().plan, document, [](const sdk::Json& answer) {
      return read_plan(answer, {"build", "install"});
    });
  }
};

}  // namespace

Result<std::unique_ptr<ElementKind>> adapt_element(std::shared_ptr<const PluginLibrary> library,
                                                   const PluginOffer& offer) {
  return adapt<PluginElement, ElementKind>(std::move(library), offer);
}

}  // namespace weir
