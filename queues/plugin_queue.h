// A queue of a plugin: what it thinks of an element, and what its jobs do, stands behind QueueWork. Behind
// `build` it has artifacts to work on, between `fetch` and `build` sources alone.
#pragma once

#include <string>

#include "queues/backends.h"
#include "queues/progress.h"
#include "queues/queue.h"

namespace weir {

class QueueWork {
 public:
  virtual ~QueueWork() = default;
  // What the plugin thinks: ready, skip or never.
  virtual Verdict opinion(ElementId element) = 0;
  // yes: it was done before with the same inputs; no: it is this weir's to do. Asked when the artifact is
  // there, or the sources for a queue before `build`.
  virtual Answer done(ElementId element) = 0;
  virtual std::string key(ElementId element) const = 0;
  virtual PlannedJob plan(ElementId element) const = 0;
  virtual Meaning on_result(ElementId element, const JobResult& result) = 0;
  // Asked of a queue before `build`: the artifact is cached, and a job is wanted all the same, since the
  // artifact may be pushed only after it.
  virtual bool wanted_though_cached(ElementId) { return false; }
};

class PluginQueue final : public Queue {
 public:
  enum class Place : std::uint8_t { before_build, behind_build };
  PluginQueue(std::string name, Place place, QueueWork& work, Artifacts& artifacts, NeedsTable needs)
      : name_(std::move(name)), place_(place), work_(work), artifacts_(artifacts), needs_(std::move(needs)) {}

  std::string_view name() const override { return name_; }
  const JobNeeds& needs(ElementId element) const override { return needs_.of(element); }
  std::string key(ElementId element) const override { return work_.key(element); }
  Verdict classify(ElementId element, Progress& progress) const override {
    if (const auto verdict = wait_for_keys(element, progress)) return *verdict;
    if (place_ == Place::before_build) {
      const auto verdict = skip_if_cached(element, artifacts_);
      if (verdict && (verdict->kind != Verdict::Kind::skip || !work_.wanted_though_cached(element)))
        return *verdict;
    } else {
      if (artifacts_.cached(element) != Answer::yes) return Verdict::skip(Why::not_built);
      if (const auto verdict = wait_for_keys_at_runtime(element, progress)) return *verdict;
    }
    const auto opinion = work_.opinion(element);
    if (opinion.kind != Verdict::Kind::ready) return opinion;
    switch (work_.done(element)) {
      case Answer::yes: return Verdict::skip(Why::done_before);
      case Answer::later: return Verdict::wait(Why::lookup, element);
      case Answer::locked: return Verdict::wait(Why::other_weir, element);
      case Answer::failed:
      case Answer::no: break;
    }
    return place_ == Place::before_build ? Verdict::ready() : when_staged(element, progress);
  }
  PlannedJob plan(ElementId element) const override { return work_.plan(element); }
  Meaning on_result(ElementId element, const JobResult& result) override {
    return work_.on_result(element, result);
  }

 private:
  // Its job has all that the element was built with, and all that it is used with. Of a cached one nobody has
  // asked yet.
  static Verdict when_staged(ElementId element, Progress& progress) {
    auto missing = progress.first_missing(element);
    if (!missing) missing = progress.first_missing_at_runtime(element);
    if (!missing) return Verdict::ready();
    if (progress.hopeless(*missing)) return Verdict::never(Why::dependency_failed, *missing);
    return Verdict::wait(Why::dependency, *missing).wanting_dependencies();
  }

  std::string name_;
  Place place_;
  QueueWork& work_;
  Artifacts& artifacts_;
  NeedsTable needs_;
};

}  // namespace weir
