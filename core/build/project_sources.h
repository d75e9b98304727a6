// The sources of a run that come from elsewhere: which refs they have, whether the store has their files, and
// the jobs that track and fetch them. Those of the project are in the plan already.
//
// The files of a source lie in the store under a key of their own (kind, ref, and what of its configuration
// decides on its files), so one fetch serves every element, project and URL that has the same.
//
// Refs that were tracked go to weir.lock while the run goes on, so that little is lost with a run that is
// killed. Everything here is the loop's; looking things up happens in an arena.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/loop_batch.h"
#include "core/build/tickets.h"
#include "core/project/lock_file.h"
#include "core/store/store.h"
#include "queues/backends.h"

namespace weir {

class ProjectSources final : public Sources {
 public:
  ProjectSources(BuildPlan& plan, store::Store& store, Arenas& arenas, LoopDoors doors,
                 Environment environment);

  // How diagnostics are told in one line; without it they are not.
  void tell_diagnostics_by(std::function<std::string(const Diagnostics&)> to_line) {
    to_line_ = std::move(to_line);
  }

  // Finds out the newest refs of the element's sources, but for those that the project itself pins.
  void track(ElementId element);

  bool tracking_wanted(ElementId element) const override { return states_[index(element)].tracking; }
  bool has_ref(ElementId element) const override { return plan_.pinned(element); }
  Answer present(ElementId element) override;
  PlannedJob plan_track(ElementId element) const override;
  PlannedJob plan_fetch(ElementId element) const override;
  Status tracked(ElementId element, const JobResult& result) override;
  Status fetched(ElementId element, const JobResult& result) override;
  std::string explain_failure(ElementId element, const JobResult& result) const override;

  // What the answer of a track job means. Any thread: it looks at nothing that changes in a run.
  Result<std::string> ref_in(const std::string& element, std::size_t output, const TrackAnswer& answer) const;

  // After the run: waits until the records are kept and weir.lock is written. The first trouble in doing so.
  Status finish();

 private:
  enum class Phase : std::uint8_t { unknown, looking, missing, there };
  struct State {
    Phase phase = Phase::unknown;
    bool tracking = false;
    std::vector<std::size_t> missing;      // sources that the store does not have
    std::vector<store::Digest> documents;  // of those, in the store
  };
  // Are these sources there?
  struct Question {
    ElementId element;
    struct One {
      std::size_t source;
      std::string document;
      std::optional<store::Digest> tree;
      store::Digest document_digest;
    };
    std::vector<One> all;
    std::optional<Error> trouble;
  };

  void answer(Question& question) const;
  void take(Question question);
  SourceRequest request(ElementId element, std::size_t source, const std::string& name,
                        const std::string& cache) const;
  JobSpec network_job(ElementId element, std::string_view queue) const;
  void write_lock();

  BuildPlan& plan_;
  store::Store& store_;
  Arenas& arenas_;
  LoopDoors doors_;
  Environment environment_;
  std::function<std::string(const Diagnostics&)> to_line_;
  std::vector<State> states_;  // by ElementId
  Tickets tickets_;
  Lock found_;
  bool lock_wanted_ = false;  // found_ has something that is not in the file
  bool lock_writing_ = false;
  std::shared_ptr<ProjectSources*> alive_;
  LoopBatch<Question> batch_;  // dies first: it waits for what is in the arena
};

// Those that the project does not pin itself.
std::vector<std::size_t> tracked_sources(const BuildPlan& plan, ElementId element);

// Under which keys the store has the files of the sources that are not of the project.
std::vector<store::Key> source_keys(const BuildPlan& plan, ElementId element);

// Which lanes the fetch of an element takes: one for each mirror that it uses.
std::vector<std::string> mirrors_of(const BuildPlan& plan, ElementId element);

}  // namespace weir
