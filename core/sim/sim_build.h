// One build of a simulated cluster: a layered random graph of jobs with their durations and sizes, and how
// far it is. Made when it arrives and dropped when it is done, so that memory follows the builds that are
// there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/model/placement.h"
#include "core/sim/run_input.h"

namespace weir::sim {

double draw(const Lognormal& law, Random& random);

class SimBuild {
 public:
  enum class State : std::uint8_t { blocked, ready, placed, running, done };
  struct Job {
    Duration duration{};
    double bytes = 0;
    Duration rest{};  // the longest path from its start to the end of the build
    Time since{};     // ready, later running, since
    std::uint32_t first_dep = 0, blockers = 0, users = 0;
    std::uint32_t first_user = 0;
    std::uint32_t start = 0;  // which of its starts counts
    WorkerId worker{};
    State state = State::blocked;
  };

  // The result ids of its jobs follow `first`.
  SimBuild(const RunInput& input, ClassId work_class, ResultId first, std::uint64_t seed);

  ClassId work_class() const { return work_class_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(jobs_.size()); }
  Job& operator[](ResultId id) { return jobs_[index(id) - first_]; }
  ResultId id(std::uint32_t job) const { return ResultId{first_ + job}; }
  std::span<const ResultId> deps(ResultId id) const;

  Duration critical_path() const { return critical_path_; }
  Duration work() const { return work_; }

  // The ready job with the longest rest, then the first.
  void push_ready(ResultId id);
  ResultId pop_ready();
  // Marks it done; calls `ready` for each job that waited for it alone. True if it was the last.
  template <class Ready>
  bool finish(ResultId id, Ready ready) {
    auto& job = (*this)[id];
    job.state = State::done;
    for (std::uint32_t i = 0; i < job.users; ++i) {
      const auto user = users_[job.first_user + i];
      if (--jobs_[user].blockers == 0) ready(ResultId{first_ + user});
    }
    return ++done_ == jobs_.size();
  }
  // One job less needs this artifact; true if it was the last.
  bool drop_use(ResultId id) { return ++used_[index(id) - first_] == (*this)[id].users; }

 private:
  void make_edges(const RunInput& input, Random& random);
  void make_users();
  void measure();

  const ClassId work_class_;
  const std::uint32_t first_;
  std::uint32_t done_ = 0;
  std::vector<Job> jobs_;
  std::vector<ResultId> deps_;
  std::vector<std::uint32_t> users_, used_;
  struct Ready {
    Duration rest;
    std::uint32_t job;
    bool operator<(const Ready& other) const {
      return rest != other.rest ? rest < other.rest : job > other.job;
    }
  };
  std::vector<Ready> ready_;
  Duration critical_path_{}, work_{};
};

}  // namespace weir::sim
