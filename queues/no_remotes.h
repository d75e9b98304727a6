// A run without remotes: nothing is pulled, nothing is pushed.
#pragma once

#include "queues/backends.h"

namespace weir {

class NoRemotes final : public Remotes {
 public:
  bool can_pull(ElementId) const override { return false; }
  bool can_push(ElementId) const override { return false; }
  bool remote_has(ElementId) const override { return false; }
  bool push_required() const override { return false; }
  PlannedJob plan_pull(ElementId) const override { return none(); }
  PlannedJob plan_push(ElementId) const override { return none(); }
  Status pulled(ElementId, const JobResult&) override { return none(); }
  Why pushed(ElementId, const JobResult&) override { return Why::no_remote; }

 private:
  static tl::unexpected<Error> none() { return fail(Reason::bug, "this run has no remotes"); }
};

}  // namespace weir
