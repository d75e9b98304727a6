// The contract of a queue: four answers and a plan.
//   name()      what people call it
//   needs(e)    the tokens and lanes a job for this element takes
//   classify(e) wait, skip, ready or never
//   on_result   what the end of a job means for the element
//   plan(e)     the job itself
// A queue decides; it never starts, moves or counts anything. The scheduler does that, and keeps for each
// queue its ports and the status of every element that passed (queues/station.h). All calls come on the
// loop's thread, must not block, and must be pure but for on_result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/ids.h"
#include "core/model/job_result.h"
#include "core/model/job_spec.h"
#include "queues/needs.h"

namespace weir {

class Progress;

// Why an element was classified as it was; the words stand in queue.cpp.
enum class Why : std::uint8_t {
  none,
  dependency,         // wait: a dependency is not there yet
  dependency_key,     // wait: the key of a dependency is not known yet
  dependency_failed,  // never
  lookup,             // wait: the store is being asked
  other_weir,         // wait: another weir builds it
  failed_before,      // never: with the same inputs
  no_ref,             // never: no source ref, and nobody asked to track it
  not_tracked,        // skip: tracking was not asked for
  cached,             // skip: the artifact is there
  sources_present,    // skip
  no_remote,          // skip
  remote_miss,        // skip: the remote does not have it
  remote_trouble,     // skip: the remote could not be used
  remote_has_it,      // skip
  not_built,          // skip: there is nothing to push; never: it was asked for
  nothing_to_do,      // skip
  done_before,        // skip: a job of this queue, with the same inputs
  not_asked_for,      // skip: only targets go through this queue
  plugin,             // skip or never: in the words of the plugin
  plugin_fault,       // never: the plugin broke its own rules
  gate_not_passed,    // never: a queue before `push` has not succeeded for the artifact
  quitting,           // blocked: the run ends after an error, or because the user wants it to
};
std::string_view to_string(Why why);

struct Verdict {
  enum class Kind : std::uint8_t { wait, skip, ready, never };
  Kind kind = Kind::ready;
  Why why = Why::none;
  // The element will be made here, so its dependencies are wanted. Elements that nobody wants are never
  // started: a pulled or cached artifact needs none of its build dependencies.
  bool wants_dependencies = false;
  ElementId on = kNoElement;    // wait: for news of this element; never: because of it
  std::string_view words = {};  // beside `why`, of a plugin; lives as long as the queue

  static Verdict ready() { return {Kind::ready}; }
  static Verdict skip(Why why) { return {Kind::skip, why}; }
  static Verdict never(Why why, ElementId because = kNoElement) { return {Kind::never, why, false, because}; }
  static Verdict wait(Why why, ElementId on) { return {Kind::wait, why, false, on}; }
  Verdict wanting_dependencies() const {
    auto copy = *this;
    copy.wants_dependencies = true;
    return copy;
  }
};

// What a job's end means for its element.
struct Meaning {
  enum class Kind : std::uint8_t { done, skip, fail };
  Kind kind = Kind::done;
  Why why = Why::none;
  // fail: where it is not the job's own failure (the artifact could not be committed, the ref could not be
  // read).
  Failure failure = Failure::none;
  std::string evidence;
  std::string_view words = {};  // as of a Verdict
};

class Queue {
 public:
  virtual ~Queue() = default;
  virtual std::string_view name() const = 0;
  virtual const JobNeeds& needs(ElementId element) const = 0;
  // The cache key that a job works for, for people and programs that read events; empty where there is none.
  virtual std::string key(ElementId) const { return {}; }
  virtual Verdict classify(ElementId element, Progress& progress) const = 0;
  virtual Result<std::shared_ptr<const JobSpec>> plan(ElementId element) const = 0;
  // `succeeded`, or `failed` after the last retry; cancelled jobs are not asked about.
  virtual Meaning on_result(ElementId element, const JobResult& result) = 0;
};

// Who could not take in a result: what came is not what was asked for, or the machine is at fault.
inline Failure failure_of(const Error& error) {
  return error.reason == Reason::project ? Failure::source : Failure::infra;
}

// Most queues: success is done if weir could take it in as well, failure is failure.
template <class TakeIn>
Meaning plain_meaning(const JobResult& result, TakeIn&& take_in) {
  if (result.ending != Ending::succeeded) return {Meaning::Kind::fail};
  const Status taken = take_in();
  if (!taken) return {Meaning::Kind::fail, Why::none, failure_of(taken.error()), to_text(taken.error())};
  return {};
}

// The key of an element holds the keys of its dependencies, and those are not known before they are tracked:
// what to answer while one is missing.
std::optional<Verdict> wait_for_keys(ElementId element, Progress& progress);
// The same of what it needs at run time.
std::optional<Verdict> wait_for_keys_at_runtime(ElementId element, Progress& progress);

class Artifacts;
// What to answer if the artifact is there, or if that is not known yet.
std::optional<Verdict> skip_if_cached(ElementId element, Artifacts& artifacts);

}  // namespace weir
