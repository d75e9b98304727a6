// load-based: classes share the workers by their loads.
#include "core/placement/open_documents.h"
#include "plugins/placement/allocator_plugin.h"

namespace weir {
namespace {

class LoadBased final : public AllocatorPlugin<LoadAllocator> {
 public:
  static constexpr std::string_view kind = "load-based";
  static constexpr std::uint32_t version = 1;
  static constexpr std::string_view example =
      R"({"classes":[{"load":70,"name":"ci","requestor":"ci-.*"},{"load":30,"name":"dev"}],"rebalance-after":1,"rebalance-threshold":20})";

  // Of the text: loads keep their digits.
  static std::unique_ptr<LoadBased> open(std::string_view document) {
    auto made = open_load_allocator(document);
    if (!made) throw refusal_of(made.error());
    return std::make_unique<LoadBased>(std::move(*made));
  }
  using AllocatorPlugin::AllocatorPlugin;

  std::vector<std::string> classes() const {
    std::vector<std::string> names;
    for (const auto& one : own().loads()) names.push_back(one.name);
    return names;
  }
};

}  // namespace
}  // namespace weir

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::allocator<weir::LoadBased>())
