#include "core/cli/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/assert.h"
#include "core/project/diagnostic.h"

namespace weir::cli {

namespace {

// "auto" of the tokens that the machine decides; plenty of all others.
std::int64_t amount_of(std::string_view name, const Amount& amount, const Machine& machine) {
  constexpr std::int64_t kPlenty = std::numeric_limits<std::int32_t>::max();
  if (!amount.automatic) return static_cast<std::int64_t>(amount.value);
  if (name == "process") return machine.cores;
  if (name == "memory") return static_cast<std::int64_t>(machine.memory - memory_reserve(machine.memory));
  return kPlenty;
}

JobNeeds one_of(std::string_view token, Ledger& ledger, const RetryPolicy& retry) {
  const TokenNeed need{*ledger.find(token), 1, false};
  auto request = ledger.intern({&need, 1});
  return {request.value_or(RequestId{}), {}, retry};
}

Status add_tokens(const Settings& settings, const Machine& machine, Ledger& ledger) {
  for (const auto& [name, setting] : settings.resources) {
    const auto amount = amount_of(name, setting.value, machine);
    ledger.add(name, amount);
    const bool vital = name == "process" || name == "download" || name == "upload";
    if (vital && amount < 1)
      return fail(Reason::project, fmt::format("{} is {}: nothing could run", name, amount),
                  "it has to be at least 1");
  }
  return {};
}

// Tokens that a queue brings with it, unless the project says how many there are.
void add_own_tokens(const std::vector<ResolvedQueue>& queues, Ledger& ledger) {
  for (const auto& queue : queues)
    for (const auto& [token, amount] : queue.kind->resources())
      if (!ledger.find(token)) ledger.add(token, amount);
}

LearntMemory learnt_from(const ProjectNeeds::Parts& parts) {
  const auto amount = [&](std::string_view token) {
    return static_cast<std::uint64_t>(parts.ledger.capacity(*parts.ledger.find(token)));
  };
  return LearntMemory(parts.peaks, parts.project, {amount("memory"), amount("process")});
}

Error of_element(Error error, const Element& element) {
  if (error.reason != Reason::bug)
    error.message = fmt::format("element \"{}\" {}", element.name, error.message);
  return error;
}

tl::unexpected<Error> no_resource(const std::string& name) {
  return fail(Reason::project,
              fmt::format("asks for {}, and there is no such resource", weir::in_quotes(name)),
              "declare it in [resources]");
}

RequestId checked(Ledger& ledger, std::span<const TokenNeed> tokens) {
  const auto request = ledger.intern(tokens);
  WEIR_ASSERT(request, "what was checked is refused: {}", request.error().message);
  return *request;
}

}  // namespace

ProjectNeeds::ProjectNeeds(Parts parts, const JobNeeds& download, const JobNeeds& process,
                           const JobNeeds& upload, const JobNeeds& pull)
    : parts_(std::move(parts)),
      learnt_(learnt_from(parts_)),
      download_(download),
      build_(process),
      upload_(upload),
      pull_(pull) {
  for (const auto& queue : parts_.plugin_queues.queues)
    plugin_queues_.emplace(queue.name, NeedsTable(process));
}

Result<ProjectNeeds> ProjectNeeds::make(Parts parts, const Settings& settings, const Machine& machine) {
  auto& ledger = parts.ledger;
  if (auto added = add_tokens(settings, machine, ledger); !added) return tl::unexpected(added.error());
  add_own_tokens(parts.plugin_queues.queues, ledger);
  const auto& retry = parts.project.retry;
  const auto download = one_of("download", ledger, retry), process = one_of("process", ledger, retry);
  // Those that move artifacts try again by themselves, as long as a remote is worth it.
  const RetryPolicy never;
  const auto upload = one_of("upload", ledger, never), pull = one_of("download", ledger, never);
  return ProjectNeeds(std::move(parts), download, process, upload, pull);
}

Result<ProjectNeeds::Asked> ProjectNeeds::ask(std::span<const ElementId> elements) const {
  Asked asked{{elements.begin(), elements.end()}, {}};
  for (const auto& queue : parts_.plugin_queues.queues) {
    auto& of_queue = asked.tokens.emplace_back();
    for (const auto id : elements) {
      auto tokens = parts_.plugin_queues.tokens(queue, id);
      if (!tokens)
        return tl::unexpected(of_element(tokens.error(), parts_.graph.element(parts_.project, id)));
      of_queue.push_back(std::move(*tokens));
    }
  }
  return asked;
}

// "1..4" is granted one core more than the least only where cores grow; it never asks for more than there
// are.
TokenNeed ProjectNeeds::cores_of(const Element& element) const {
  const auto process = *parts_.ledger.find("process");
  return {
      process,
      std::max<std::int64_t>(1, std::min<std::int64_t>(element.cpu.least, parts_.ledger.capacity(process))),
      false};
}

// What the project says, which may be more than there is and then is a mistake; else what was learnt, which
// never is.
std::int64_t ProjectNeeds::memory_of(ElementId id) const {
  const auto said = parts_.graph.element(parts_.project, id).memory;
  if (said > 0) return static_cast<std::int64_t>(said);
  const auto learnt = static_cast<std::int64_t>(learnt_.need(parts_.graph.elements[index(id)]));
  return std::min(learnt,
                  parts_.ledger.capacity(*parts_.ledger.find("memory")));  // somebody may have lowered it
}

Result<ProjectNeeds::Tokens> ProjectNeeds::build_tokens(ElementId id) const {
  const auto& element = parts_.graph.element(parts_.project, id);
  const auto named = [this](std::string_view name) { return parts_.ledger.find(name); };
  Tokens all{cores_of(element)};
  const auto takes_memory = std::any_of(element.needs.begin(), element.needs.end(),
                                        [](const auto& need) { return need.resource == "memory"; });
  if (const auto memory = memory_of(id); memory > 0 && (element.memory > 0 || !takes_memory))
    all.push_back({*named("memory"), memory, false});
  for (const auto& need : element.needs) {
    const auto token = named(need.resource);
    if (!token) return no_resource(need.resource);
    all.push_back({*token, need.amount, false});
  }
  for (const auto& alone : element.exclusive) {
    const auto token = named(alone.text);
    if (!token) return no_resource(alone.text);
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const auto& need) { return need.token == *token; });
    if (same != all.end()) same->exclusive = true;
    else all.push_back({*token, 1, true});
  }
  return all;
}

Result<ProjectNeeds::Tokens> ProjectNeeds::queue_tokens(
    const ResolvedQueue& queue, const Element& element,
    const std::optional<std::vector<TokenCount>>& told) const {
  if (!told) return Tokens{cores_of(element)};
  Tokens all;
  for (const auto& [name, amount] : *told) {
    const auto token = parts_.ledger.find(name);
    if (!token)
      return fail(Reason::project,
                  fmt::format("in the queue {} needs {} of \"{}\", and there is no such resource", queue.name,
                              amount, name),
                  "declare it in [resources]");
    if (amount > 0) all.push_back({*token, amount, false});
  }
  return all;
}

// What is wrong with it is said of the element.
Result<ProjectNeeds::Tokens> ProjectNeeds::fitting(const Element& element, Result<Tokens> tokens) const {
  if (!tokens) return tl::unexpected(of_element(tokens.error(), element));
  if (auto good = parts_.ledger.check(*tokens); !good)
    return tl::unexpected(of_element(good.error(), element));
  return tokens;
}

// All are looked at before the first is kept.
Status ProjectNeeds::add(const Asked& asked) {
  const auto& queues = parts_.plugin_queues.queues;
  std::vector<Tokens> build;
  std::vector<std::vector<Tokens>> by_queue(queues.size());
  for (std::size_t i = 0; i < asked.elements.size(); ++i) {
    const auto& element = parts_.graph.element(parts_.project, asked.elements[i]);
    auto own = fitting(element, build_tokens(asked.elements[i]));
    if (!own) return tl::unexpected(own.error());
    build.push_back(std::move(*own));
    for (std::size_t queue = 0; queue < queues.size(); ++queue) {
      auto more = fitting(element, queue_tokens(queues[queue], element, asked.tokens[queue][i]));
      if (!more) return tl::unexpected(more.error());
      by_queue[queue].push_back(std::move(*more));
    }
  }
  for (std::size_t i = 0; i < asked.elements.size(); ++i) {
    const auto id = asked.elements[i];
    set_build(id, build[i]);
    set_download(id);
    const auto& retry = parts_.graph.element(parts_.project, id).retry;
    for (std::size_t queue = 0; queue < queues.size(); ++queue)
      plugin_queues_.at(queues[queue].name).set(id, {checked(parts_.ledger, by_queue[queue][i]), {}, retry});
  }
  return {};
}

void ProjectNeeds::set_build(ElementId id, const Tokens& tokens) {
  const auto& element = parts_.graph.element(parts_.project, id);
  JobNeeds needs{checked(parts_.ledger, tokens), {}, element.retry};
  auto& lanes = parts_.lanes;
  if (!element.lane.empty())
    needs.lanes = {{lanes.lane(element.lane), lanes.group(element.group), element.access}};
  build_.set(id, std::move(needs));
}

void ProjectNeeds::set_download(ElementId id) {
  auto needs = one_of("download", parts_.ledger, parts_.graph.element(parts_.project, id).retry);
  for (const auto& mirror : parts_.mirrors(id))
    needs.lanes.push_back({parts_.lanes.lane(mirror), parts_.lanes.group(mirror), Access::write});
  download_.set(id, std::move(needs));
}

}  // namespace weir::cli
