// Targets that a run is asked for while it goes on: they are planned as those that it began with were, and
// become part of its plan. An order that cannot be planned changes nothing; what it names wrong is its
// answer.
//
// Orders are planned one after another, each on a thread of its own: looking for sources reads files, and
// asking the tools of the host for their versions waits for processes, which is neither for the loop nor for
// an arena. That thread reads only what no run changes, and which elements are planned; those are added on
// the loop's thread, when no such thread is there.
//
// Only for runs that build, with a graph of the whole project (GraphOf::project). New elements are not
// tracked, also where the run does: they need refs.
//
// Thread: the loop's. Its end cancels what is being planned and waits for it; from then on nobody is
// answered.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/cli/needs.h"
#include "core/cli/opened_project.h"

namespace weir::cli {

// An order that was planned.
struct Submitted {
  std::vector<ElementId> targets;  // to be wanted
  std::vector<ElementId>
      added;  // to the plan: targets and dependencies that were no part of it, dependencies first
};

class Submissions {
 public:
  struct Parts {
    const OpenedProject& opened;
    PlannedTargets& planned;
    store::Store& store;
    ProjectNeeds& needs;
    std::function<void(std::function<void()>)> post;  // to the loop; any thread
  };
  explicit Submissions(Parts parts);
  Submissions(const Submissions&) = delete;
  Submissions& operator=(const Submissions&) = delete;

  using Done = std::function<void(Result<Submitted>)>;
  // Targets are names or globs; at least one. `done` is called once, not before this returns, in the order of
  // the orders.
  void plan(std::vector<std::string> targets, Done done);
  // Nothing is left to be answered. What waits keeps no run open by itself.
  bool idle() const { return orders_.empty(); }

 private:
  struct Order {
    std::vector<std::string> targets;
    Done done;
  };
  // What the thread found out for an order.
  struct Found {
    std::vector<ElementIndex> targets;
    PlanPart part;
    ProjectNeeds::Asked asked;
  };
  void begin();
  Result<Found> find(const std::vector<std::string>& targets, const std::stop_token& stop) const;
  Result<Found> find_safely(const std::vector<std::string>& targets, const std::stop_token& stop) const;
  void hand_back(Result<Found> found) const;
  void end(Result<Found> found);
  Result<Submitted> take(Result<Found> found);
  void add_targets(const std::vector<ElementIndex>& more);

  Parts parts_;
  std::deque<Order> orders_;             // the first one is being planned
  std::shared_ptr<Submissions*> alive_;  // empty for what comes back too late
  std::jthread thread_;                  // dies first: it uses the others
};

}  // namespace weir::cli
