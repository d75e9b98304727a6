#include "queues/queue.h"

#include "queues/backends.h"
#include "queues/progress.h"

namespace weir {

std::string_view to_string(Why why) {
  switch (why) {
    case Why::none: return "";
    case Why::dependency: return "a dependency is not built yet";
    case Why::dependency_key: return "the key of a dependency is not known yet";
    case Why::dependency_failed: return "a dependency failed";
    case Why::lookup: return "the store is being asked";
    case Why::other_weir: return "another weir builds it";
    case Why::failed_before: return "failed before with the same inputs: --retry-failed tries it again";
    case Why::no_ref: return "a source has no ref: run weir track";
    case Why::not_tracked: return "tracking was not asked for";
    case Why::cached: return "cached";
    case Why::sources_present: return "sources are there";
    case Why::no_remote: return "no remote";
    case Why::remote_miss: return "no remote has it";
    case Why::remote_trouble: return "the remote could not be used";
    case Why::remote_has_it: return "the remote has it";
    case Why::not_built: return "not cached";
    case Why::nothing_to_do: return "nothing to do";
    case Why::done_before: return "done before with the same inputs";
    case Why::not_asked_for: return "it is no target";
    case Why::plugin: return "the queue has no use for it";
    case Why::plugin_fault: return "the plugin of the queue failed";
    case Why::gate_not_passed: return "a required queue before push has not succeeded";
    case Why::quitting: return "the run ends before it";
  }
  return "";
}

namespace {

std::optional<Verdict> wait_for_key_of(std::optional<ElementId> unknown, const Progress& progress) {
  if (!unknown) return std::nullopt;
  if (progress.hopeless(*unknown)) return Verdict::never(Why::dependency_failed, *unknown);
  return Verdict::wait(Why::dependency_key, *unknown);
}

}  // namespace

std::optional<Verdict> wait_for_keys(ElementId element, Progress& progress) {
  return wait_for_key_of(progress.first_without_key(element), progress);
}

std::optional<Verdict> wait_for_keys_at_runtime(ElementId element, Progress& progress) {
  return wait_for_key_of(progress.first_without_key_at_runtime(element), progress);
}

std::optional<Verdict> skip_if_cached(ElementId element, Artifacts& artifacts) {
  switch (artifacts.cached(element)) {
    case Answer::yes: return Verdict::skip(Why::cached);
    case Answer::later: return Verdict::wait(Why::lookup, element);
    case Answer::locked: return Verdict::wait(Why::other_weir, element);
    case Answer::failed:
    case Answer::no: break;
  }
  return std::nullopt;
}

}  // namespace weir
