// The artifacts of a run, in the store: what the queues ask, answered from a plan and the store's records.
//
// An element is looked up by its recipe key when a queue first asks, and once its dependencies are there by
// its resolved key; if only the second is found, it becomes what the first means from then on. To build it
// this weir has to hold the lock of the resolved key: if another one has it, the element waits without
// holding anything, and then most likely finds the artifact there.
//
// Everything here is the loop's; questions to the store are batched, answered in an arena if they are many,
// and come back through `post`.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/failures.h"
#include "core/build/last_built.h"
#include "core/build/loop_batch.h"
#include "core/build/tickets.h"
#include "core/store/store.h"
#include "queues/backends.h"
#include "resources/arenas.h"

namespace weir {

class StoreBuild final : public Artifacts {
 public:
  enum class Mode : std::uint8_t {
    usual,
    check,  // everything that is cached is built again, compared, and not kept
  };
  StoreBuild(const BuildPlan& plan, store::Store& store, Failures& failures, Arenas& arenas, LoopDoors doors,
             Mode mode = Mode::usual);

  // Built again although it is cached.
  void force(ElementId element) { of(element).forced = true; }
  // It is there; the store need not be asked.
  void know(ElementId element, const store::Digest& output, const store::Key& kept_as);
  void retry_failed() { retry_failed_ = true; }
  // Called once for every artifact that is found or made.
  void on_seen(std::function<void(ElementId, const SeenArtifact&)> call) { seen_ = std::move(call); }
  // Called when a build failed, with the recipe that it was built by.
  void on_failed(std::function<void(ElementId, const store::Digest& recipe)> call) {
    failed_ = std::move(call);
  }

  Answer cached(ElementId element) override;
  Answer may_build(ElementId element) override;
  std::string key(ElementId element) const override { return plan_.recipe_key(element).hex(); }
  PlannedJob plan_build(ElementId element) const override;
  Status built(ElementId element, const JobResult& result) override;
  // What a remote gave; all that the record names is in the store.
  Status pulled(ElementId element, const store::ArtifactRecord& record);
  // Whoever asked wants it built, whatever is there.
  bool is_to_be_built(ElementId element) const {
    return mode_ == Mode::check || states_[index(element)].forced;
  }
  void not_built(ElementId element, const JobResult& result) override;

  // The output of an element that is there.
  const store::Digest& output(ElementId element) const { return states_[index(element)].output; }
  // The resolved key under which it is kept.
  const store::Key& kept_as(ElementId element) const { return states_[index(element)].kept_as; }
  bool has_output(ElementId element) const { return states_[index(element)].phase == Phase::there; }

  // After the run: waits until all that was built is kept and all that failed is remembered. The first
  // trouble in doing so.
  Status finish();
  // Those that failed with files that are damaged in the store. After finish().
  const std::vector<std::string>& built_with_damage() const { return built_with_damage_; }
  struct Difference {
    ElementId element;
    store::Digest before, now;
  };
  const std::vector<Difference>& differences() const { return differences_; }

 private:
  enum class Phase : std::uint8_t {
    unknown,
    looking,         // for the recipe key
    missing,         // not there by its recipe key
    looking_deeper,  // for the resolved key, and for the lock
    locked,          // another weir has the lock
    mine,            // to be built by this weir
    failed,          // it was tried before, with the same inputs
    there,
  };
  struct State {
    Phase phase = Phase::unknown;
    bool forced = false;
    bool tried = false;  // in this run: who asks again wants it again
    store::Digest output;
    store::Key resolved;
    store::Key kept_as;  // of what is there
    std::string recipe;  // the document of the resolved key, while it is to be built
    std::shared_ptr<store::KeyLock> lock;
    store::LockWaiter::Wait wait;
  };
  // One question to the store, and its answer.
  struct Question {
    ElementId element;
    store::Key key;
    bool to_build = false;  // the lock is wanted as well
    store::Key lock_key;
    std::string recipe;  // of a key that is to be built
    std::shared_ptr<store::KeyLock> lock;
    std::optional<store::Artifact> found;
    std::optional<std::string> failed_with;  // the sources of a build that failed
    std::optional<Error> trouble;
  };

  State& of(ElementId element) { return states_[index(element)]; }
  void look(ElementId element);
  void look_deeper(ElementId element);
  void answer(Question& question) const;
  void take(Question question);
  void wait_for_lock(ElementId element);
  void found(ElementId element);
  std::string resolved_recipe(ElementId element) const;
  bool failed_before(const Question& question) const;
  void remember_failure(ElementId element);
  store::Key lock_key(ElementId element) const;
  Status keep(ElementId element, const JobResult& result, const store::Digest& tree);
  Status commit(ElementId element, const store::ArtifactRecord& record, std::string recipe);

  const BuildPlan& plan_;
  store::Store& store_;
  Failures& failures_;
  Arenas& arenas_;
  LoopDoors doors_;
  Mode mode_;
  std::vector<State> states_;  // by ElementId
  bool retry_failed_ = false;
  std::function<void(ElementId, const SeenArtifact&)> seen_;
  std::function<void(ElementId, const store::Digest&)> failed_;
  Tickets tickets_;
  std::vector<Difference> differences_;
  std::mutex damage_mutex_;
  std::vector<std::string> built_with_damage_;  // by name; arenas write it until finish()
  std::shared_ptr<StoreBuild*> alive_;          // empty for what comes back too late
  LoopBatch<Question> batch_;                   // dies first: it waits for what is in the arena
};

}  // namespace weir
