// none: one class, whoever asked first starts first.
#include "core/placement/none_allocator.h"
#include "plugins/placement/allocator_plugin.h"

namespace weir {
namespace {

class None final : public AllocatorPlugin<NoneAllocator> {
 public:
  static constexpr std::string_view kind = "none";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view example = "{}";
  None() : AllocatorPlugin(std::make_unique<NoneAllocator>()) {}
};

}  // namespace
}  // namespace weir

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::allocator<weir::None>())
