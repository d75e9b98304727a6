// All jobs of a simulated run, as elements of one graph: builds that arrive one after the other, each a
// layered random graph of jobs with their durations and sizes. Fixed when it is made; how far a run is stands
// elsewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/model/graph.h"
#include "core/model/placement.h"
#include "core/sim/run_input.h"

namespace weir::sim {

class Workload {
 public:
  explicit Workload(const RunInput& input);

  struct Build {
    Time arrival{};
    ClassId work_class{};
  };
  struct Job {
    Duration duration{};
    double bytes = 0;  // of its result
  };

  // The name of an element is its number.
  const Graph& graph() const { return graph_; }
  const std::vector<Build>& builds() const { return builds_; }
  const Build& build_of(ElementId element) const { return builds_[index(element) / jobs_each_]; }
  std::vector<ElementId> elements_of(std::size_t build) const;
  const Job& job(ElementId element) const { return jobs_[index(element)]; }

  // Durations as a scheduler has them recorded: in milliseconds.
  std::vector<std::uint32_t> weights() const;
  // No schedule is shorter, whatever the number of places.
  double critical_path_s() const { return critical_path_s_; }
  double work_s() const { return work_s_; }

 private:
  void plan_arrivals(const RunInput& input);
  void add_jobs(const RunInput& input, Random& random);
  void add_edges(const RunInput& input, Random& random);
  void add_element(const RunInput& input, std::uint32_t first, std::uint32_t width, Random& random);
  void measure(const Build& build, std::uint32_t first);

  std::uint32_t jobs_each_;
  std::vector<Build> builds_;
  Graph graph_;
  std::vector<Job> jobs_;  // by element
  double critical_path_s_ = 0, work_s_ = 0;
};

}  // namespace weir::sim
