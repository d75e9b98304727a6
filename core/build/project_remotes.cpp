#include "core/build/project_remotes.h"

#include <fmt/format.h>

#include "core/build/job_label.h"
#include "core/remote/action_result.h"
#include "queues/pull_queue.h"
#include "queues/push_queue.h"

namespace weir {

namespace {

template <class OwnStep>
PlannedJob job_of(const BuildPlan& plan, ElementId element, std::string_view queue) {
  auto spec = std::make_shared<JobSpec>();
  spec->label = job_label(plan.name(element), queue);
  spec->steps = {OwnStep{plan.recipe(element)}};
  spec->network = true;
  return spec;
}

}  // namespace

bool ProjectRemotes::can_pull(ElementId element) const {
  return is_shared() && !build_.is_to_be_built(element) && lines_.any_readable();
}

bool ProjectRemotes::can_push(ElementId) const { return push_ && is_shared() && lines_.any_writable(); }

bool ProjectRemotes::remote_has(ElementId element) const {
  return asking_ == Asking::what_is_not_known && lines_.all_know(plan_.recipe_key(element).hex());
}

PlannedJob ProjectRemotes::plan_pull(ElementId element) const {
  return job_of<PullStep>(plan_, element, PullQueue::kName);
}
PlannedJob ProjectRemotes::plan_push(ElementId element) const {
  return job_of<PushStep>(plan_, element, PushQueue::kName);
}

Status ProjectRemotes::pulled(ElementId element, const JobResult& result) {
  if (result.outputs.size() != 4)
    return fail(Reason::bug, fmt::format("the pull of {} gave no artifact", plan_.name(element)));
  const auto output = store::Digest::parse(result.outputs[0]),
             recipe = store::Digest::parse(result.outputs[1]), log = store::Digest::parse(result.outputs[2]);
  if (!output || !recipe || !log)
    return fail(Reason::bug, fmt::format("the pull of {} gave no digests", plan_.name(element)));
  store::ArtifactRecord record;
  record.output = *output;
  record.recipe = *recipe;
  record.log = *log;
  record.label = plan_.name(element);
  apply_facts(result.outputs[3], record);
  return build_.pulled(element, record);
}

std::string ProjectRemotes::not_pulled(ElementId element, const JobResult& result) const {
  return fmt::format("{}: {}", plan_.name(element), result.evidence);
}

Why ProjectRemotes::pushed(ElementId, const JobResult& result) {
  if (result.outputs.empty() || result.outputs.front() == push_end::kTrouble) return Why::remote_trouble;
  return result.outputs.front() == push_end::kHadIt ? Why::remote_has_it : Why::none;
}

}  // namespace weir
