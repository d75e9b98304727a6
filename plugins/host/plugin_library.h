// A plugin that was loaded: its tables as this weir knows them, copied and checked. This and the adapters are
// all that touches raw tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <weir/plugin.h>

#include "core/base/result.h"

namespace weir {

enum class PluginType : std::uint8_t { element, source, queue, remote, allocator, placer };
inline constexpr PluginType kPluginTypes[] = {PluginType::element, PluginType::source,    PluginType::queue,
                                              PluginType::remote,  PluginType::allocator, PluginType::placer};
std::string_view to_string(PluginType type);

// One kind of a library. The table is a copy: what a smaller one of an older plugin lacks is zero, and what a
// larger one of a newer plugin has beyond ours is left out.
struct PluginOffer {
  PluginType type;
  std::string kind;
  std::string example;
  std::uint32_t version = 0;
  std::variant<weir_element_v1, weir_source_v1, weir_queue_v1, weir_remote_v1, weir_allocator_v1,
               weir_placer_v1>
      table;
};

struct PluginLibrary {
  std::string file;
  std::string name;
  std::string version;
  unsigned abi_major = 0, abi_minor = 0;
  std::vector<PluginOffer> offers;
  std::vector<std::string> unknown;  // types that this weir does not know

  const PluginOffer* find(PluginType type, std::string_view kind) const;
  // "/p/element-x.so (example-x 1.0, ABI 1.0)"
  std::string title() const;

  // Runs code of the plugin (its constructors and its entry). Reason::project if the file cannot be used,
  // Reason::bug if it misbehaves; either says which file, which ABI, what is wrong and what to do.
  // The bytes are those of `from`, if it is given: a copy that nothing can change any more.
  static Result<std::shared_ptr<const PluginLibrary>> load(const std::string& file,
                                                           const std::string& from = {});
};

}  // namespace weir
