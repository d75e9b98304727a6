// Pulling and pushing the artifacts of a plan. What is built without a sandbox knows the folders of this
// machine: it is neither pulled nor pushed.
#pragma once

#include "core/build/build_plan.h"
#include "core/build/store_build.h"
#include "core/remote/remote_lines.h"
#include "queues/backends.h"

namespace weir {

class ProjectRemotes final : public Remotes {
 public:
  enum class Asking : std::uint8_t {
    what_is_not_known,  // a remote that had a record lately is not asked for it again
    always,
  };
  ProjectRemotes(const BuildPlan& plan, StoreBuild& build, RemoteLines& lines, Asking asking, bool push)
      : plan_(plan), build_(build), lines_(lines), asking_(asking), push_(push) {}

  bool can_pull(ElementId element) const override;
  bool can_push(ElementId element) const override;
  bool remote_has(ElementId element) const override;
  bool push_required() const override { return lines_.push_required(); }
  PlannedJob plan_pull(ElementId element) const override;
  PlannedJob plan_push(ElementId element) const override;
  Status pulled(ElementId element, const JobResult& result) override;
  std::string not_pulled(ElementId element, const JobResult& result) const override;
  Why pushed(ElementId element, const JobResult& result) override;

 private:
  bool is_shared() const { return plan_.sandbox() != SandboxRoot::none && !lines_.empty(); }

  const BuildPlan& plan_;
  StoreBuild& build_;
  RemoteLines& lines_;
  Asking asking_;
  bool push_;
};

}  // namespace weir
