#include "core/cli/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace weir::cli {

namespace {

// "auto" of the tokens that the machine decides; plenty of all others.
std::int64_t amount_of(std::string_view name, const Amount& amount, const Machine& machine) {
  constexpr std::int64_t kPlenty = std::numeric_limits<std::int32_t>::max();
  if (!amount.automatic) return static_cast<std::int64_t>(amount.value);
  if (name == "process") return machine.cores;
  if (name == "memory") return static_cast<std::int64_t>(machine.memory);
  return kPlenty;
}

Result<JobNeeds> needs_of(const Element& element, Ledger& ledger, Lanes& lanes) {
  const auto named = [&](std::string_view name) { return ledger.find(name); };
  std::vector<TokenNeed> all;
  const auto process = *named("process");
  // "1..4" is granted one core more than the least only where cores grow; it never asks for more than there are.
  all.push_back({process, std::min<std::int64_t>(element.cpu.least, ledger.capacity(process)), false});
  if (element.memory > 0) all.push_back({*named("memory"), static_cast<std::int64_t>(element.memory), false});
  for (const auto& need : element.needs) {
    const auto token = named(need.resource);
    if (!token) return fail(Reason::project, fmt::format("there is no resource {}", need.resource), "declare it in [resources]");
    all.push_back({*token, need.amount, false});
  }
  for (const auto& alone : element.exclusive) {
    const auto token = named(alone.text);
    if (!token) return fail(Reason::project, fmt::format("there is no resource {}", alone.text), "declare it in [resources]");
    const auto same = std::find_if(all.begin(), all.end(), [&](const auto& need) { return need.token == *token; });
    if (same != all.end()) same->exclusive = true;
    else all.push_back({*token, 1, true});
  }
  JobNeeds needs;
  auto request = ledger.intern(all);
  if (!request) return tl::unexpected(request.error());
  needs.tokens = *request;
  if (!element.lane.empty()) needs.lanes = {{lanes.lane(element.lane), lanes.group(element.group), element.access}};
  needs.retry = element.retry;
  return needs;
}

JobNeeds one_of(std::string_view token, Ledger& ledger, const RetryPolicy& retry) {
  const TokenNeed need{*ledger.find(token), 1, false};
  auto request = ledger.intern({&need, 1});
  return {request.value_or(RequestId{}), {}, retry};
}

// Tokens that a queue brings with it, unless the project says how many there are.
void add_own_tokens(const std::vector<ResolvedQueue>& queues, Ledger& ledger) {
  for (const auto& queue : queues)
    for (const auto& [token, amount] : queue.kind->resources())
      if (!ledger.find(token)) ledger.add(token, amount);
}

Result<JobNeeds> queue_needs(const ResolvedQueue& queue, const Element& element, const std::optional<std::vector<TokenCount>>& tokens,
                             Ledger& ledger) {
  const auto process = *ledger.find("process");
  std::vector<TokenNeed> all;
  if (!tokens) all.push_back({process, std::min<std::int64_t>(element.cpu.least, ledger.capacity(process)), false});
  for (const auto& [name, amount] : tokens.value_or(std::vector<TokenCount>())) {
    const auto token = ledger.find(name);
    if (!token)
      return fail(Reason::project, fmt::format("in the queue {} needs {} of \"{}\", and there is no such resource", queue.name, amount, name),
                  "declare it in [resources]");
    if (amount > 0) all.push_back({*token, amount, false});
  }
  auto request = ledger.intern(all);
  if (!request) return tl::unexpected(request.error());
  return JobNeeds{*request, {}, element.retry};
}

Error of_element(Error error, const Element& element) {
  if (error.reason != Reason::bug) error.message = fmt::format("element \"{}\" {}", element.name, error.message);
  return error;
}

Status add_queue_needs(const Project& project, const ProjectGraph& graph, const QueuesToServe& serve, Ledger& ledger, ProjectNeeds& all) {
  for (const auto& queue : serve.queues) {
    NeedsTable table(one_of("process", ledger, project.retry));
    for (std::uint32_t i = 0; i < graph.graph.size(); ++i) {
      const auto& element = graph.element(project, ElementId{i});
      const auto tokens = serve.tokens(queue, ElementId{i});
      if (!tokens) return tl::unexpected(of_element(tokens.error(), element));
      auto needs = queue_needs(queue, element, *tokens, ledger);
      if (!needs) return tl::unexpected(of_element(needs.error(), element));
      table.set(ElementId{i}, std::move(*needs));
    }
    all.plugin_queues.emplace(queue.name, std::move(table));
  }
  return {};
}

}  // namespace

Result<ProjectNeeds> make_needs(const Project& project, const Settings& settings, const ProjectGraph& graph,
                                const Machine& machine, Ledger& ledger, Lanes& lanes, const MirrorsOf& mirrors,
                                const QueuesToServe& plugin_queues) {
  for (const auto& [name, setting] : settings.resources) {
    const auto amount = amount_of(name, setting.value, machine);
    ledger.add(name, amount);
    const bool vital = name == "process" || name == "download" || name == "upload";
    if (vital && amount < 1)
      return fail(Reason::project, fmt::format("{} is {}: nothing could run", name, amount), "it has to be at least 1");
  }
  ProjectNeeds all{NeedsTable(one_of("download", ledger, project.retry)), NeedsTable(one_of("process", ledger, project.retry)),
                   NeedsTable(one_of("upload", ledger, project.retry)), {}};
  for (std::uint32_t i = 0; i < graph.graph.size(); ++i) {
    const auto& element = graph.element(project, ElementId{i});
    auto needs = needs_of(element, ledger, lanes);
    if (!needs) return tl::unexpected(of_element(needs.error(), element));
    all.build.set(ElementId{i}, std::move(*needs));
    auto download = one_of("download", ledger, element.retry);
    for (const auto& mirror : mirrors(ElementId{i})) download.lanes.push_back({lanes.lane(mirror), lanes.group(mirror), Access::write});
    all.download.set(ElementId{i}, std::move(download));
  }
  add_own_tokens(plugin_queues.queues, ledger);
  if (auto added = add_queue_needs(project, graph, plugin_queues, ledger, all); !added) return tl::unexpected(added.error());
  return all;
}

}  // namespace weir::cli
