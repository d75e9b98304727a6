// Gives built artifacts to a remote, while others still build. A failed push fails its element only where the
// project says that pushing is required.
#pragma once

#include <algorithm>
#include <vector>

#include "queues/backends.h"
#include "queues/queue.h"

namespace weir {

// The queues that an artifact has to pass before it is pushed, in runs that do not have them in their row.
class PushGates {
 public:
  virtual ~PushGates() = default;
  // ready: it passed all of them.
  virtual Verdict passed(ElementId element) = 0;
};

class PushQueue final : public Queue {
 public:
  static constexpr std::string_view kName = "push";
  // `asked_for`: elements that fail if there is nothing to push; others are passed over.
  PushQueue(Artifacts& artifacts, Remotes& remotes, NeedsTable needs, PushGates* gates = nullptr,
            std::vector<ElementId> asked_for = {})
      : artifacts_(artifacts),
        remotes_(remotes),
        needs_(std::move(needs)),
        gates_(gates),
        asked_for_(std::move(asked_for)) {
    std::sort(asked_for_.begin(), asked_for_.end());
  }

  std::string_view name() const override { return kName; }
  const JobNeeds& needs(ElementId element) const override { return needs_.of(element); }
  std::string key(ElementId element) const override { return artifacts_.key(element); }
  Verdict classify(ElementId element, Progress&) const override {
    if (!remotes_.can_push(element)) return Verdict::skip(Why::no_remote);
    const auto cached = artifacts_.cached(element);
    if (cached == Answer::later) return Verdict::wait(Why::lookup, element);
    if (cached != Answer::yes)
      return std::binary_search(asked_for_.begin(), asked_for_.end(), element)
                 ? Verdict::never(Why::not_built)
                 : Verdict::skip(Why::not_built);
    if (remotes_.remote_has(element)) return Verdict::skip(Why::remote_has_it);
    return gates_ ? gates_->passed(element) : Verdict::ready();
  }
  PlannedJob plan(ElementId element) const override { return remotes_.plan_push(element); }
  Meaning on_result(ElementId element, const JobResult& result) override {
    if (result.ending != Ending::failed) {
      const auto why = remotes_.pushed(element, result);
      return why == Why::none ? Meaning{} : Meaning{Meaning::Kind::skip, why};
    }
    if (remotes_.push_required()) return {Meaning::Kind::fail};
    return {Meaning::Kind::skip, Why::remote_trouble};
  }

 private:
  Artifacts& artifacts_;
  Remotes& remotes_;
  NeedsTable needs_;
  PushGates* gates_;
  std::vector<ElementId> asked_for_;
};

}  // namespace weir
