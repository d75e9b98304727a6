// The placer of one machine, and the plain one of many: a single queue, a free worker takes what was
// scheduled first. It remembers who holds what for those who ask, and decides nothing by it.
#pragma once

#include <deque>
#include <unordered_map>

#include "core/model/placement.h"
#include "core/placement/holdings.h"

namespace weir {

class LocalPlacer final : public Placer {
 public:
  void advance(Time) override {}
  std::optional<Time> next_timer() const override { return std::nullopt; }
  void add_worker(WorkerId worker) override;
  std::vector<ResultId> remove_worker(WorkerId worker, Time now) override;
  void add_artifact(WorkerId worker, ResultId artifact, Time) override { holdings_.add(worker, artifact); }
  void remove_artifact(WorkerId worker, ResultId artifact, Time now) override;
  bool holds(WorkerId worker, ResultId artifact) const override {
    return holdings_.find(worker, artifact) != kNone;
  }
  std::optional<WorkerId> locate(ResultId artifact) const override;
  bool schedule(ResultId job, std::span<const ResultId> deps, Time now) override;
  bool withdraw(ResultId job, Time now) override;
  std::optional<Pick> pick(WorkerId worker, Time now) override;
  bool complete(WorkerId worker, ResultId job, bool ok, Time now) override;
  std::optional<WorkerId> next_woken() override;

 private:
  struct Job {
    bool is_running = false;
    WorkerId worker{};
    std::uint64_t order = 0;  // tells its place in line from one that it had before
  };
  struct InLine {
    ResultId job;
    std::uint64_t order;
  };
  std::vector<ResultId>& running_of(WorkerId worker);
  void drop_gone();
  bool forget(ResultId job);

  std::uint64_t next_order_ = 0;
  std::unordered_map<std::uint32_t, Job> jobs_;
  std::deque<InLine> line_;  // with some that are gone
  std::vector<std::vector<ResultId>> running_;
  std::deque<WorkerId> waiting_;
  std::vector<bool> waits_;
  Holdings<> holdings_;
};

}  // namespace weir
