// cache-aware: a job goes to who holds its result, then to who holds something that it needs, then to
// anybody.
#include "core/placement/open_documents.h"
#include "plugins/placement/placer_plugin.h"

namespace weir {
namespace {

class CacheAware final : public PlacerPlugin<CachePlacer> {
 public:
  static constexpr std::string_view kind = "cache-aware";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view example =
      R"({"cache-timeout":1,"deps-timeout":60,"pick":"cache-first","seed":1,"skip-empty-stages":true})";

  static std::unique_ptr<CacheAware> open(std::string_view document) {
    const auto settings = read_cache_placer(document);
    if (!settings) throw refusal_of(settings.error());
    return std::make_unique<CacheAware>(std::make_unique<CachePlacer>(*settings));
  }
  using PlacerPlugin::PlacerPlugin;
};

}  // namespace
}  // namespace weir

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::placer<weir::CacheAware>())
