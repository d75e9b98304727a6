#include "core/cli/opened_element.h"

#include <fmt/format.h>

#include "core/cli/command_settings.h"
#include "core/cli/tell.h"

namespace weir::cli {

tl::expected<OpenedElement, int> open_element(const Globals& globals, const std::string& element,
                                              const std::string& sandbox, std::string_view purpose,
                                              TrustStage stage) {
  OpenedElement all;
  auto opened =
      open_project(globals.directory, command_settings(globals, sandbox), {}, LoadBy::snapshot, stage);
  if (!opened) return tl::unexpected(opened.error());
  all.opened = std::move(*opened);
  auto store = open_store(all.opened->values(), fmt::format("{} {}", purpose, element));
  if (!store) return tl::unexpected(tell(store.error()));
  all.store = std::move(*store);
  auto planned = plan_targets(*all.opened, *all.store.store, std::span(&element, 1));
  if (!planned) return tl::unexpected(planned.error());
  all.planned = std::move(*planned);
  const auto& targets = all.planned->targets;
  if (targets.size() != 1)
    return tl::unexpected(
        tell(Error{Reason::usage, fmt::format("\"{}\" is more than one element", element), "name one"}));
  all.target = all.planned->graph.ids[index(targets.front())];
  return all;
}

}  // namespace weir::cli
