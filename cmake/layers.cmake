# The layers, each with the layers it may include. `weir_layer` links by it and the ctest `layers` checks by it,
# so this is the one place where the order stands.
set(WEIR_LAYERS core/base resources core/model core/placement plugins/sdk plugins/elements plugins/sources plugins/queues plugins/remotes plugins/placement plugins/host
    core/project core/store core/exec core/remote queues core/build core/snapshot core/scheduler core/report core/sim core/control core/cli)

set(WEIR_LAYER_core/base "")
set(WEIR_LAYER_resources core/base)
set(WEIR_LAYER_core/model core/base resources)
set(WEIR_LAYER_core/placement core/base resources core/model)
# Plugins see the SDK and nothing of weir: `#include <weir/...>`.
set(WEIR_LAYER_plugins/sdk "")
set(WEIR_LAYER_plugins/elements plugins/sdk)
set(WEIR_LAYER_plugins/sources plugins/sdk)
set(WEIR_LAYER_plugins/queues plugins/sdk)
set(WEIR_LAYER_plugins/remotes plugins/sdk)
# Those of placement are weir's own code behind the same border.
set(WEIR_LAYER_plugins/placement core/base resources core/model core/placement plugins/sdk)
set(WEIR_LAYER_plugins/host core/base resources core/model plugins/sdk)
set(WEIR_LAYER_core/project core/base resources core/model)
set(WEIR_LAYER_core/store core/base resources core/model)
set(WEIR_LAYER_core/exec core/base resources core/model)
set(WEIR_LAYER_core/remote core/base resources core/model core/store)
set(WEIR_LAYER_queues core/base resources core/model)
set(WEIR_LAYER_core/build core/base resources core/model plugins/host core/project core/store core/exec core/remote queues)
set(WEIR_LAYER_core/snapshot core/base resources core/model plugins/host core/project core/store core/exec core/remote queues core/build)
set(WEIR_LAYER_core/scheduler core/base resources core/model queues)
set(WEIR_LAYER_core/report core/base resources core/model queues core/scheduler)
set(WEIR_LAYER_core/sim core/base resources core/model core/placement queues core/scheduler)
set(WEIR_LAYER_core/control core/base resources core/model)
set(WEIR_LAYER_core/cli core/base resources core/model plugins/host core/project core/store core/exec core/remote queues core/build core/snapshot
    core/scheduler core/report core/sim core/control)
