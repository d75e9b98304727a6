// The one queue of a simulated row: it builds every job once, when all that the job needs is there. Nothing
// is cached before the run, nothing needs tokens, and a job that was lost with its worker is tried again at
// once.
#pragma once

#include <limits>

#include "core/model/graph.h"
#include "queues/progress.h"
#include "queues/queue.h"

namespace weir::sim {

class JobQueue final : public Queue {
 public:
  JobQueue(const Graph& graph, RequestId no_tokens) : graph_(graph) {
    needs_.tokens = no_tokens;
    needs_.retry.set(Failure::lost, std::numeric_limits<std::uint8_t>::max());
    needs_.retry.backoff = {Duration::zero(), Duration::zero()};
  }

  std::string_view name() const override { return "build"; }
  const JobNeeds& needs(ElementId) const override { return needs_; }
  Verdict classify(ElementId element, Progress& progress) const override {
    const auto missing = progress.first_missing(element);
    if (!missing) return Verdict::ready();
    if (progress.hopeless(*missing)) return Verdict::never(Why::dependency_failed, *missing);
    return Verdict::wait(Why::dependency, *missing);
  }
  Result<std::shared_ptr<const JobSpec>> plan(ElementId element) const override {
    auto spec = std::make_shared<JobSpec>();
    spec->label = graph_.name(element);
    return spec;
  }
  Meaning on_result(ElementId, const JobResult& result) override {
    return {result.ending == Ending::succeeded ? Meaning::Kind::done : Meaning::Kind::fail};
  }

 private:
  const Graph& graph_;
  JobNeeds needs_;
};

}  // namespace weir::sim
