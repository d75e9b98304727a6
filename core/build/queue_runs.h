// The work of one queue of a plugin: what it thinks of each element, and its jobs. A job that succeeded is
// kept in the store under a key of its own, made of the artifact (or the sources), the plan and the version
// of the queue, so it is done once for the same inputs; what it left in its install root and its log are kept
// with it. A failure is not remembered, but it withdraws what was kept under the same key.
//
// Everything here is the loop's; questions to the store are batched and answered in an arena.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/loop_batch.h"
#include "core/build/resolve_queues.h"
#include "core/build/store_build.h"
#include "core/build/tickets.h"
#include "core/store/store.h"
#include "queues/plugin_queue.h"

namespace weir {

// An element as a queue of a plugin sees it: canonical JSON.
std::string element_document(const BuildPlan& plan, ElementId element);

class QueueRuns final : public QueueWork {
 public:
  struct Parts {
    const BuildPlan& plan;
    const StoreBuild& build;
    store::Store& store;
    Host& host;
    Arenas& arenas;
    LoopDoors doors;
  };
  QueueRuns(Parts parts, ResolvedQueue queue, PluginQueue::Place place);

  // Only these; without it every element that passes.
  void only(std::span<const ElementId> elements) { only_.emplace(elements.begin(), elements.end()); }
  // Done again although it was done before.
  void force() { forced_ = true; }
  // It has no jobs in this run and is only asked as_gate(). So it takes no locks: nobody would wait for its
  // jobs in vain, and two runs cannot wait for each other.
  void only_look() { only_looks_ = true; }

  // Before `build`: elements for which this is true have a job although their artifact is cached.
  void guard_push(std::function<bool(ElementId)> may_be_pushed) { may_be_pushed_ = std::move(may_be_pushed); }

  Verdict opinion(ElementId element) override;
  Answer done(ElementId element) override;
  std::string key(ElementId element) const override { return states_[index(element)].key.hex(); }
  PlannedJob plan(ElementId element) const override;
  Meaning on_result(ElementId element, const JobResult& result) override;
  bool wanted_though_cached(ElementId element) override;
  // It went on without a success that is kept: its job did not succeed and the plugin let it pass, or it was
  // cached, and could not be pushed when this queue was asked.
  bool went_on_unproven(ElementId element) const {
    const auto& state = states_[index(element)];
    return state.unproven || (place_ == PluginQueue::Place::before_build && state.guarded == false);
  }

  // Whether the artifact may go on without a job of this queue: ready if one succeeded before, or if the
  // queue skips the element.
  Verdict as_gate(ElementId element);
  // The element's artifact is there, and its sources are wanted for a job of this queue.
  Answer wants_sources(ElementId element);
  const std::string& name() const { return queue_.name; }
  // After the run: waits until all is kept.
  Status finish();

 private:
  enum class Phase : std::uint8_t { unknown, looking, locked, mine, done };
  struct State {
    Phase phase = Phase::unknown;
    std::optional<Verdict> opinion;
    // Of a cached artifact, before `build`. Decided once: a remote may come back while the run goes on.
    std::optional<bool> guarded;
    store::Key key;
    store::Digest document;
    std::optional<Error> obstacle;  // why its job could not be planned, or kept
    bool was_kept = false;          // a success, which the job is to repeat
    bool unproven = false;          // its job did not succeed, and the plugin let it pass
    std::shared_ptr<store::KeyLock> lock;
    store::LockWaiter::Wait wait;
  };
  struct Question {
    ElementId element;
    store::Key key;
    store::Key lock_key;
    std::string document;
    store::Digest document_digest;
    std::shared_ptr<store::KeyLock> lock;
    bool found = false;
    std::optional<Error> obstacle;
    std::optional<Error> trouble;  // of the store, which a job can do without
  };

  State& of(ElementId element) { return states_[index(element)]; }
  Verdict ask_opinion(ElementId element);
  Verdict fault(const Error& error);
  std::string_view kept_words(std::string words) { return *words_.insert(std::move(words)).first; }
  Result<ElementPlan> element_plan(ElementId element) const;
  std::vector<std::string> used_at_run_time(ElementId element) const;
  std::string document_of(ElementId element, const ElementPlan& plan) const;
  Question question_of(ElementId element) const;
  void answer(Question& question) const;
  void take(Question question);
  void wait_for_lock(ElementId element);
  Meaning keep(ElementId element, const JobResult& result);
  void withdraw(ElementId element);

  Parts parts_;
  ResolvedQueue queue_;
  PluginQueue::Place place_;
  std::vector<State> states_;  // by ElementId
  std::optional<std::set<ElementId>> only_;
  bool forced_ = false;
  bool only_looks_ = false;
  std::function<bool(ElementId)> may_be_pushed_;
  std::set<std::string> words_;                             // reasons of the plugin; verdicts point to them
  std::vector<std::pair<std::string, std::string>> tools_;  // of the host, with their versions
  Tickets tickets_;
  std::mutex withdrawn_mutex_;
  Status withdrawn_;                   // the first trouble; arenas write it until finish()
  std::shared_ptr<QueueRuns*> alive_;  // empty for what comes back too late
  LoopBatch<Question> batch_;          // dies first: it waits for what is in the arena
};

}  // namespace weir
