// Takes a built artifact from a remote. Comes before fetch, since a pulled artifact needs no sources. Trouble
// with a remote never fails an element: it is fetched and built instead.
#pragma once

#include "queues/backends.h"
#include "queues/queue.h"

namespace weir {

class PullQueue final : public Queue {
 public:
  static constexpr std::string_view kName = "pull";
  enum class Rule : std::uint8_t {
    if_possible,
    must,  // nothing else is to be done: what cannot be pulled has failed
  };
  PullQueue(Artifacts& artifacts, Remotes& remotes, NeedsTable needs, Rule rule = Rule::if_possible)
      : artifacts_(artifacts), remotes_(remotes), needs_(std::move(needs)), rule_(rule) {}

  std::string_view name() const override { return kName; }
  const JobNeeds& needs(ElementId element) const override { return needs_.of(element); }
  std::string key(ElementId element) const override { return artifacts_.key(element); }
  Verdict classify(ElementId element, Progress& progress) const override {
    if (const auto verdict = wait_for_keys(element, progress)) return *verdict;
    if (const auto verdict = skip_if_cached(element, artifacts_)) return *verdict;
    if (rule_ == Rule::if_possible && !remotes_.can_pull(element)) return Verdict::skip(Why::no_remote);
    return Verdict::ready();
  }
  PlannedJob plan(ElementId element) const override { return remotes_.plan_pull(element); }
  Meaning on_result(ElementId element, const JobResult& result) override {
    if (result.ending == Ending::succeeded && remotes_.pulled(element, result)) return {};
    if (rule_ == Rule::must)
      return {Meaning::Kind::fail, Why::none, Failure::none, remotes_.not_pulled(element, result)};
    return {Meaning::Kind::skip, result.failure == Failure::source ? Why::remote_miss : Why::remote_trouble};
  }

 private:
  Artifacts& artifacts_;
  Remotes& remotes_;
  NeedsTable needs_;
  Rule rule_;
};

}  // namespace weir
