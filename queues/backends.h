// What the five queues ask of the rest of weir. Sources, store and remotes stand behind these; tests and the
// benchmark put tables there. Same rules as for Queue: the loop's thread, no blocking.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/model/ids.h"
#include "core/model/job_result.h"
#include "core/model/job_spec.h"
#include "queues/queue.h"

namespace weir {

using PlannedJob = Result<std::shared_ptr<const JobSpec>>;

// `later`: somebody has to be asked who may take a while; then there will be news of the element
// (input::News), and the question is asked again. `locked` is the same, and it may take as long as a build:
// another weir is at it. `failed`: it failed with the same inputs before, and nobody wants that tried again.
enum class Answer : std::uint8_t { yes, no, later, locked, failed };

class Sources {
 public:
  virtual ~Sources() = default;
  virtual bool tracking_wanted(ElementId element) const = 0;
  virtual bool has_ref(ElementId element) const = 0;  // every source is pinned
  virtual Answer present(ElementId element) = 0;      // exactly what the refs name is here: yes, no or later
  virtual PlannedJob plan_track(ElementId element) const = 0;
  virtual PlannedJob plan_fetch(ElementId element) const = 0;
  virtual Status tracked(ElementId element, const JobResult& result) = 0;
  virtual Status fetched(ElementId element, const JobResult& result) = 0;
  // What in the project made the job fail, for people; may be empty.
  virtual std::string explain_failure(ElementId, const JobResult&) const { return {}; }
};

class Artifacts {
 public:
  virtual ~Artifacts() = default;
  // Asked when the element's own key and those of its dependencies can be known.
  virtual Answer cached(ElementId element) = 0;
  // Asked when all its dependencies are there. `no`: by now its artifact is there too, because the
  // dependencies came out as they were before, or because another weir has built it.
  virtual Answer may_build(ElementId) { return Answer::yes; }
  virtual std::string key(ElementId) const { return {}; }
  virtual PlannedJob plan_build(ElementId element) const = 0;
  virtual Status built(ElementId element, const JobResult& result) = 0;
  // Its build failed for good.
  virtual void not_built(ElementId, const JobResult&) {}
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
  // For people: why it was not pulled.
  virtual std::string not_pulled(ElementId, const JobResult& result) const { return result.evidence; }
  // Why::none: it is there now; else why it is not, or was before.
  virtual Why pushed(ElementId element, const JobResult& result) = 0;
};

}  // namespace weir
