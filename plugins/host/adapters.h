// Kinds of a plugin as the rest of weir knows them. Made once per kind; they may be asked on any thread.
#pragma once

#include <memory>

#include "core/model/kind.h"
#include "core/model/placement_kind.h"
#include "core/model/remote.h"
#include "plugins/host/plugin_library.h"

namespace weir {

// The offer is one of the library's. An Error says what is wrong with its table.
Result<std::unique_ptr<ElementKind>> adapt_element(std::shared_ptr<const PluginLibrary> library,
                                                   const PluginOffer& offer);
Result<std::unique_ptr<SourceKind>> adapt_source(std::shared_ptr<const PluginLibrary> library,
                                                 const PluginOffer& offer);
Result<std::unique_ptr<QueueKind>> adapt_queue(std::shared_ptr<const PluginLibrary> library,
                                               const PluginOffer& offer);
Result<std::unique_ptr<RemoteKind>> adapt_remote(std::shared_ptr<const PluginLibrary> library,
                                                 const PluginOffer& offer);
// These two, and what they open, are for the loop's thread.
Result<std::unique_ptr<AllocatorKind>> adapt_allocator(std::shared_ptr<const PluginLibrary> library,
                                                       const PluginOffer& offer);
Result<std::unique_ptr<PlacerKind>> adapt_placer(std::shared_ptr<const PluginLibrary> library,
                                                 const PluginOffer& offer);

}  // namespace weir
