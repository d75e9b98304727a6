// The queues of plugins in the row of a run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "core/build/queue_runs.h"
#include "core/cli/needs.h"
#include "queues/fetch_queue.h"
#include "queues/push_queue.h"

namespace weir::cli {

class PluginQueues final : public LaterSources, public PushGates {
 public:
  PluginQueues(QueueRuns::Parts parts, const std::vector<ResolvedQueue>& queues, const QueueNeeds& needs,
               StoreBuild& build)
      : parts_(std::move(parts)), queues_(queues), needs_(needs), build_(build) {}

  // Nothing for a name that is not known.
  std::unique_ptr<Queue> make(std::string_view name, PluginQueue::Place place);
  // A queue that is not in the row, and has to have succeeded before an artifact is pushed.
  void add_gate(std::string_view name, PluginQueue::Place place);
  // Before the row is made: it ends with a push of the elements for which this is true when they are first
  // asked about. Queues before `build` have jobs for them also where the artifact is cached.
  void guard_push(std::function<bool(ElementId)> may_be_pushed) { may_be_pushed_ = std::move(may_be_pushed); }
  // After the row is made: only these elements go through the queues.
  void only(std::span<const ElementId> elements);
  void force();

  Answer wants_sources(ElementId element) override;
  Verdict passed(ElementId element) override;
  // After the run. The first trouble in keeping what was done.
  Status finish();

 private:
  const ResolvedQueue* find(std::string_view name) const;

  QueueRuns::Parts parts_;
  const std::vector<ResolvedQueue>& queues_;
  const QueueNeeds& needs_;
  StoreBuild& build_;
  std::vector<std::unique_ptr<QueueRuns>> runs_;
  std::vector<QueueRuns*> gates_;  // among them
  std::function<bool(ElementId)> may_be_pushed_;
};

}  // namespace weir::cli
