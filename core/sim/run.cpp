#include "core/sim/run.h"

#include <sys/resource.h>

#include "core/sim/cluster.h"
#include "core/sim/run_input.h"

namespace weir::sim {

Result<RunOutput> simulate_run(std::string_view document) {
  const auto input = read_input(document, read_run_input);
  if (!input) return tl::unexpected(input.error());
  const auto start = std::chrono::steady_clock::now();
  Cluster cluster(*input);
  if (const auto ended = cluster.run(); !ended) return tl::unexpected(ended.error());
  auto figures = cluster.take_figures();
  figures.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  figures.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return RunOutput{to_json(figures), to_html(figures, cluster.timeline())};
}

}  // namespace weir::sim
