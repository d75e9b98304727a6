#include "core/cli/submissions.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/assert.h"
#include "core/cli/tell.h"

namespace weir::cli {

Submissions::Submissions(Parts parts)
    : parts_(std::move(parts)), alive_(std::make_shared<Submissions*>(this)) {
  const auto& graph = parts_.planned.graph;
  WEIR_ASSERT(graph.elements.size() == graph.ids.size(),
              "a graph of {} elements has no room for the {} of the project", graph.elements.size(),
              graph.ids.size());
}

void Submissions::plan(std::vector<std::string> targets, Done done) {
  orders_.push_back({std::move(targets), std::move(done)});
  if (orders_.size() == 1) begin();
}

void Submissions::begin() {
  try {
    thread_ = std::jthread([this, targets = orders_.front().targets](const std::stop_token& stop) {
      hand_back(find_safely(targets, stop));
    });
  } catch (const std::system_error& error) {
    hand_back(fail(Reason::resources, fmt::format("starting a thread to plan with: {}", error.what())));
  }
}

// From the thread of the order to the loop's.
void Submissions::hand_back(Result<Found> found) const {
  parts_.post([weak = std::weak_ptr(alive_), found = std::make_shared<Result<Found>>(std::move(found))] {
    if (const auto self = weak.lock()) (*self)->end(std::move(*found));
  });
}

// An exception must not end a run that has done nothing wrong.
Result<Submissions::Found> Submissions::find_safely(const std::vector<std::string>& targets,
                                                    const std::stop_token& stop) const {
  try {
    return find(targets, stop);
  } catch (const std::exception& error) {
    return fail(Reason::bug, fmt::format("planning {}: {}", fmt::join(targets, " "), error.what()));
  }
}

// On the thread of the order.
Result<Submissions::Found> Submissions::find(const std::vector<std::string>& targets,
                                             const std::stop_token& stop) const {
  if (targets.empty())
    return fail(Reason::usage, "no target is named", "name elements, or a glob such as \"**\"");
  const auto& graph = parts_.planned.graph;
  const auto& plan = *parts_.planned.plan;
  auto selected = select_targets(parts_.opened.project(), targets);
  if (!selected) return tl::unexpected(selected.error());
  std::vector<ElementId> ids;
  for (const auto target : *selected) ids.push_back(graph.ids[index(target)]);
  const auto elements = plan.unplanned(ids);
  auto diagnostics = unpinned(parts_.opened, graph, elements);
  if (diagnostics.has_errors()) return tl::unexpected(to_error(diagnostics, parts_.opened.loaded.files));
  auto part = plan.prepare(elements, parts_.store, diagnostics, stop);
  if (!part) return tl::unexpected(part.error());
  diagnostics.sort();
  if (diagnostics.has_errors()) return tl::unexpected(to_error(diagnostics, parts_.opened.loaded.files));
  auto asked = parts_.needs.ask(elements);
  if (!asked) return tl::unexpected(asked.error());
  return Found{std::move(*selected), std::move(*part), std::move(*asked)};
}

// The next one begins before the answer: whoever gets it may do anything, also end all this.
void Submissions::end(Result<Found> found) {
  thread_ = {};
  auto done = std::move(orders_.front().done);
  orders_.pop_front();
  auto answer = take(std::move(found));
  if (!orders_.empty()) begin();
  done(std::move(answer));
}

Result<Submitted> Submissions::take(Result<Found> found) {
  if (!found) return tl::unexpected(found.error());
  if (auto added = parts_.needs.add(found->asked); !added) return tl::unexpected(added.error());
  Submitted submitted{{}, found->part.elements};
  parts_.planned.plan->add(std::move(found->part));
  for (const auto target : found->targets)
    submitted.targets.push_back(parts_.planned.graph.ids[index(target)]);
  add_targets(found->targets);
  return submitted;
}

// They are the run's own from now on, for all that comes after it.
void Submissions::add_targets(const std::vector<ElementIndex>& more) {
  auto& targets = parts_.planned.targets;
  std::vector<bool> known(parts_.planned.graph.ids.size());
  for (const auto target : targets) known[index(target)] = true;
  std::copy_if(more.begin(), more.end(), std::back_inserter(targets),
               [&](ElementIndex target) { return !known[index(target)]; });
}

}  // namespace weir::cli
