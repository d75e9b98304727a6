// Brings the sources of an element here, unless its artifact or the exact sources are here already.
#pragma once

#include "queues/backends.h"
#include "queues/queue.h"

namespace weir {

// Who wants the sources of an element although its artifact is there. yes, no or later.
class LaterSources {
 public:
  virtual ~LaterSources() = default;
  virtual Answer wants_sources(ElementId element) = 0;
};

class FetchQueue final : public Queue {
 public:
  static constexpr std::string_view kName = "fetch";
  // `even_if_cached`: weir fetch brings sources also where the artifact is cached.
  enum class Rule : std::uint8_t { only_to_build, even_if_cached };
  FetchQueue(Sources& sources, Artifacts& artifacts, NeedsTable needs, Rule rule = Rule::only_to_build,
             LaterSources* later = nullptr)
      : sources_(sources), artifacts_(artifacts), needs_(std::move(needs)), rule_(rule), later_(later) {}

  std::string_view name() const override { return kName; }
  const JobNeeds& needs(ElementId element) const override { return needs_.of(element); }
  // Dependencies are wanted from here on, so that they are made while the sources come in.
  Verdict classify(ElementId element, Progress& progress) const override {
    if (rule_ == Rule::only_to_build) {
      if (const auto verdict = wait_for_keys(element, progress)) return *verdict;
      if (const auto verdict = skip_if_cached(element, artifacts_))
        return verdict->kind == Verdict::Kind::skip ? of_cached(element) : *verdict;
    }
    if (!sources_.has_ref(element)) return Verdict::never(Why::no_ref);
    auto verdict = look_for_sources(element);
    verdict.wants_dependencies = rule_ == Rule::only_to_build;
    return verdict;
  }
  PlannedJob plan(ElementId element) const override { return sources_.plan_fetch(element); }
  Meaning on_result(ElementId element, const JobResult& result) override {
    auto meaning = plain_meaning(result, [&] { return sources_.fetched(element, result); });
    if (result.ending == Ending::failed) meaning.evidence = sources_.explain_failure(element, result);
    return meaning;
  }

 private:
  Verdict of_cached(ElementId element) const {
    switch (later_ ? later_->wants_sources(element) : Answer::no) {
      case Answer::yes: return look_for_sources(element);
      case Answer::later: return Verdict::wait(Why::lookup, element);
      default: return Verdict::skip(Why::cached);
    }
  }
  Verdict look_for_sources(ElementId element) const {
    switch (sources_.present(element)) {
      case Answer::yes: return Verdict::skip(Why::sources_present);
      case Answer::no: return Verdict::ready();
      default: return Verdict::wait(Why::lookup, element);
    }
  }

  Sources& sources_;
  Artifacts& artifacts_;
  NeedsTable needs_;
  Rule rule_;
  LaterSources* later_;
};

}  // namespace weir
