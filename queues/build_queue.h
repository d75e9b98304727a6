// Builds an element whose artifact is not here, once all its dependencies are.
#pragma once

#include "queues/backends.h"
#include "queues/progress.h"
#include "queues/queue.h"

namespace weir {

class BuildQueue final : public Queue {
 public:
  static constexpr std::string_view kName = "build";
  BuildQueue(Artifacts& artifacts, NeedsTable needs) : artifacts_(artifacts), needs_(std::move(needs)) {}

  std::string_view name() const override { return kName; }
  const JobNeeds& needs(ElementId element) const override { return needs_.of(element); }
  std::string key(ElementId element) const override { return artifacts_.key(element); }
  Verdict classify(ElementId element, Progress& progress) const override {
    if (const auto verdict = wait_for_keys(element, progress)) return *verdict;
    if (const auto verdict = skip_if_cached(element, artifacts_)) return *verdict;
    if (const auto missing = progress.first_missing(element)) {
      if (progress.hopeless(*missing)) return Verdict::never(Why::dependency_failed, *missing);
      return Verdict::wait(Why::dependency, *missing).wanting_dependencies();
    }
    switch (artifacts_.may_build(element)) {
      case Answer::yes: return Verdict::ready();
      case Answer::no: return Verdict::skip(Why::cached);
      case Answer::later: return Verdict::wait(Why::lookup, element);
      case Answer::failed: return Verdict::never(Why::failed_before);
      case Answer::locked: break;
    }
    return Verdict::wait(Why::other_weir, element);
  }
  PlannedJob plan(ElementId element) const override { return artifacts_.plan_build(element); }
  Meaning on_result(ElementId element, const JobResult& result) override {
    if (result.ending != Ending::succeeded) artifacts_.not_built(element, result);
    return plain_meaning(result, [&] { return artifacts_.built(element, result); });
  }

 private:
  Artifacts& artifacts_;
  NeedsTable needs_;
};

}  // namespace weir
