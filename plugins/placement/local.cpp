// local: one queue, a free worker takes what was scheduled first.
#include "core/placement/local_placer.h"
#include "plugins/placement/placer_plugin.h"

namespace weir {
namespace {

class Local final : public PlacerPlugin<LocalPlacer> {
 public:
  static constexpr std::string_view kind = "local";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view example = "{}";
  Local() : PlacerPlugin(std::make_unique<LocalPlacer>()) {}
};

}  // namespace
}  // namespace weir

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::placer<weir::Local>())
