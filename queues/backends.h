// What the five queues ask of the rest of weir. Sources, store and remotes stand behind these; tests and the benchmark
// put tables there. Same rules as for Queue: the loop's thread, no blocking.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/model/ids.h"
#include "core/model/job_result.h"
#include "core/model/job_spec.h"

namespace weir {

using PlannedJob = Result<std::shared_ptr<const JobSpec>>;

class Sources {
 public:
  virtual ~Sources() = default;
  virtual bool tracking_wanted(ElementId element) const = 0;
  virtual bool has_ref(ElementId element) const = 0;  // every source is pinned
  virtual bool present(ElementId element) const = 0;  // exactly what the refs name is here
  virtual PlannedJob plan_track(ElementId element) const = 0;
  virtual PlannedJob plan_fetch(ElementId element) const = 0;
  virtual Status tracked(ElementId element, const JobResult& result) = 0;
  virtual Status fetched(ElementId element, const JobResult& result) = 0;
};

class Artifacts {
 public:
  virtual ~Artifacts() = default;
  // Asked when the element's own key and those of its dependencies can be known.
  virtual bool cached(ElementId element) const = 0;
  virtual PlannedJob plan_build(ElementId element) const = 0;
  virtual Status built(ElementId element, const JobResult& result) = 0;
};

class Remotes {
 public:
  virtual ~Remotes() = default;
  virtual bool can_pull(ElementId element) const = 0;
  virtual bool can_push(ElementId element) const = 0;
  virtual bool remote_has(ElementId element) const = 0;
  virtual bool push_required() const = 0;
  virtual PlannedJob plan_pull(ElementId element) const = 0;
  virtual PlannedJob plan_push(ElementId element) const = 0;
  virtual Status pulled(ElementId element, const JobResult& result) = 0;
  virtual Status pushed(ElementId element, const JobResult& result) = 0;
};

}  // namespace weir
