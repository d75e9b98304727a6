// Finds out the refs of an element's sources. Comes first: without refs there is no key.
#pragma once

#include "queues/backends.h"
#include "queues/queue.h"

namespace weir {

class TrackQueue final : public Queue {
 public:
  static constexpr std::string_view kName = "track";
  TrackQueue(Sources& sources, NeedsTable needs) : sources_(sources), needs_(std::move(needs)) {}

  std::string_view name() const override { return kName; }
  const JobNeeds& needs(ElementId element) const override { return needs_.of(element); }
  Verdict classify(ElementId element, Progress&) const override {
    return sources_.tracking_wanted(element) ? Verdict::ready() : Verdict::skip(Why::not_tracked);
  }
  PlannedJob plan(ElementId element) const override { return sources_.plan_track(element); }
  Meaning on_result(ElementId element, const JobResult& result) override {
    auto meaning = plain_meaning(result, [&] { return sources_.tracked(element, result); });
    if (result.ending == Ending::failed) meaning.evidence = sources_.explain_failure(element, result);
    return meaning;
  }

 private:
  Sources& sources_;
  NeedsTable needs_;
};

}  // namespace weir
