#include "core/build/resolve_queues.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/build/complaints.h"
#include "queues/pipeline.h"

namespace weir {

namespace {

std::vector<PlacedText> plugin_queues(const Project& project, const std::vector<std::string>& more) {
  std::vector<PlacedText> all;
  for (const auto& queue : project.queues)
    if (!is_own_queue(queue.text)) all.push_back(queue);
  for (const auto& name : more)
    if (std::none_of(all.begin(), all.end(), [&](const PlacedText& queue) { return queue.text == name; }))
      all.push_back({name, {}});
  return all;
}

void check_order(const Project& project, Diagnostics& diagnostics) {
  std::vector<std::string_view> names;
  for (const auto& queue : project.queues) names.push_back(queue.text);
  const auto place = project.queues.front().place;
  if (const auto good = check_row(names); !good)
    return diagnostics.error(place, good.error().message, good.error().remedy);
  for (const std::string_view needed : {"fetch", "build"})
    if (std::find(names.begin(), names.end(), needed) == names.end())
      diagnostics.error(place, fmt::format("the row of queues has no \"{}\"", needed),
                        "without it nothing can be built");
}

void unknown_queue(const PlacedText& queue, const Error& error, Diagnostics& diagnostics) {
  const auto near = did_you_mean(queue.text, own_queues());
  diagnostics.error(queue.place, error.message,
                    near ? fmt::format("did you mean \"{}\"?", *near) : error.remedy);
}

// A table that nobody reads is a mistake.
void check_configs(const Project& project, const std::vector<PlacedText>& used, Diagnostics& diagnostics) {
  for (const auto& config : project.queue_configs) {
    const auto same = [&](const PlacedText& queue) { return queue.text == config.name.text; };
    if (config.name.text == "test" || std::any_of(used.begin(), used.end(), same)) continue;
    diagnostics.error(config.name.place,
                      fmt::format("there is no queue {} to configure", in_quotes(config.name.text)),
                      is_own_queue(config.name.text) ? "only queues of plugins have a table of their own"
                                                     : "name it in [pipeline] queues");
  }
}

}  // namespace

Result<std::vector<ResolvedQueue>> resolve_queues(const Project& project,
                                                  const std::vector<std::string>& more, Kinds& kinds,
                                                  Diagnostics& diagnostics) {
  check_order(project, diagnostics);
  const auto used = plugin_queues(project, more);
  check_configs(project, used, diagnostics);
  std::vector<ResolvedQueue> all;
  for (const auto& queue : used) {
    const auto kind = kinds.queue(queue.text);
    if (!kind) {
      unknown_queue(queue, kind.error(), diagnostics);
      continue;
    }
    const auto* given = project.queue_config(queue.text);
    static const TomlValue kNone;
    const auto& config = given ? given->config : kNone;
    auto resolved = (*kind)->resolve(json_of(config));
    if (!resolved) return tl::unexpected(resolved.error());
    all.push_back({queue.text, *kind,
                   take_resolved(std::move(*resolved), config, given ? given->name.place : queue.place,
                                 fmt::format("queue {}", in_quotes(queue.text)), diagnostics)});
  }
  return all;
}

}  // namespace weir
