// Random builds with known durations, and what no schedule of them can beat. For tests and benches of the
// order of jobs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/model/graph.h"

namespace weir::test {

enum class DagShape : std::uint8_t { layered, random, chains, fork_join };
inline constexpr DagShape kDagShapes[] = {DagShape::layered, DagShape::random, DagShape::chains,
                                          DagShape::fork_join};
inline std::string_view to_string(DagShape shape) {
  constexpr std::string_view kNames[] = {"layered", "random", "chains", "fork-join"};
  return kNames[static_cast<std::size_t>(shape)];
}

struct RandomDag {
  std::vector<std::vector<std::uint32_t>> dependencies;  // smaller numbers only
  std::vector<std::uint32_t> milliseconds;
  std::size_t size() const { return milliseconds.size(); }

  Graph graph() const {
    Graph made;
    std::vector<Graph::Edge> edges;
    for (std::size_t i = 0; i < size(); ++i) {
      edges.clear();
      for (const auto dependency : dependencies[i])
        edges.push_back({ElementId{dependency}, DependencyKind::build});
      made.add(fmt::format("e{}", i), edges);
    }
    return made;
  }
};

namespace detail {

// The median is two seconds and one in six is above 5.4: much as compilers and linkers are.
inline std::uint32_t lognormal(Random& random) {
  const auto uniform = [&] { return (static_cast<double>(random.below(1'000'000)) + 0.5) / 1'000'000; };
  const double normal = std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979 * uniform());
  return static_cast<std::uint32_t>(std::max(1.0, 2000 * std::exp(normal)));
}

inline std::uint32_t below(Random& random, std::size_t limit) {
  return static_cast<std::uint32_t>(random.below(limit));
}

inline void layers(RandomDag& dag, Random& random) {
  const auto root = std::sqrt(static_cast<double>(dag.size()));
  const auto width =
      std::max<std::size_t>(2, static_cast<std::size_t>(root * (0.5 + below(random, 100) / 50.0)));
  for (std::size_t i = width; i < dag.size(); ++i)
    for (int k = 0; k < 3; ++k)
      dag.dependencies[i].push_back(static_cast<std::uint32_t>((i / width - 1) * width) +
                                    below(random, width));
}

inline void anything(RandomDag& dag, Random& random) {
  for (std::size_t i = 1; i < dag.size(); ++i)
    for (auto left = below(random, 4); left > 0; --left) dag.dependencies[i].push_back(below(random, i));
}

inline void chains(RandomDag& dag, Random& random) {
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(dag.size())));
  const std::size_t count = 2 + below(random, std::max<std::size_t>(3, root));
  for (std::size_t i = count; i < dag.size(); ++i) {
    dag.dependencies[i].push_back(static_cast<std::uint32_t>(i - count));
    if (below(random, 10) == 0) dag.dependencies[i].push_back(below(random, i));
  }
}

// One behind the other: nothing of a block starts before all of the one before is done.
inline void blocks(RandomDag& dag, Random& random) {
  std::vector<std::uint32_t> open;  // what the next one waits for
  for (std::size_t i = 0; i < dag.size();) {
    const auto head = static_cast<std::uint32_t>(i++);
    dag.dependencies[head] = std::move(open);
    open.clear();
    for (auto left = 2 + below(random, 40); left > 0 && i < dag.size(); --left, ++i) {
      dag.dependencies[i] = {head};
      open.push_back(static_cast<std::uint32_t>(i));
    }
    if (open.empty()) open.push_back(head);
  }
}

}  // namespace detail

inline RandomDag random_dag(DagShape shape, std::size_t elements, std::uint64_t seed) {
  Random random(seed);
  RandomDag dag;
  dag.dependencies.resize(elements);
  for (std::size_t i = 0; i < elements; ++i) dag.milliseconds.push_back(detail::lognormal(random));
  switch (shape) {
    case DagShape::layered: detail::layers(dag, random); break;
    case DagShape::random: detail::anything(dag, random); break;
    case DagShape::chains: detail::chains(dag, random); break;
    case DagShape::fork_join: detail::blocks(dag, random); break;
  }
  for (auto& list : dag.dependencies) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return dag;
}

// What no schedule can beat, in milliseconds.
struct Bounds {
  double simple = 0;  // the longest path, and the work divided by the tokens
  double better = 0;  // the same between any two elements that all others come before or behind; and heads
                      // and tails of subsets
};

namespace detail {

struct Ways {
  std::vector<double> head, tail;  // the longest way before and behind each element, without itself
  double longest = 0;
};

inline Ways ways_of(const RandomDag& dag) {
  Ways ways{std::vector<double>(dag.size()), std::vector<double>(dag.size()), 0};
  for (std::size_t i = 0; i < dag.size(); ++i)
    for (const auto d : dag.dependencies[i])
      ways.head[i] = std::max(ways.head[i], ways.head[d] + dag.milliseconds[d]);
  for (std::size_t i = dag.size(); i-- > 0;) {
    ways.longest = std::max(ways.longest, ways.tail[i] + dag.milliseconds[i]);
    for (const auto d : dag.dependencies[i])
      ways.tail[d] = std::max(ways.tail[d], ways.tail[i] + dag.milliseconds[i]);
  }
  return ways;
}

inline std::vector<double> quantiles(std::vector<double> values) {
  constexpr std::size_t kSteps = 40;
  std::sort(values.begin(), values.end());
  std::vector<double> result;
  for (std::size_t k = 0; k <= kSteps; ++k) result.push_back(values[k * (values.size() - 1) / kSteps]);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Whatever begins no earlier than a and has at least b behind it takes a + its work / tokens + b.
inline double subset_bound(const RandomDag& dag, const Ways& ways, double tokens) {
  double best = 0;
  const auto tails = quantiles(ways.tail);
  for (const auto a : quantiles(ways.head))
    for (const auto b : tails) {
      double work = 0;
      for (std::size_t i = 0; i < dag.size(); ++i)
        if (ways.head[i] >= a && ways.tail[i] >= b) work += dag.milliseconds[i];
      if (work > 0) best = std::max(best, a + work / tokens + b);
    }
  return best;
}

// Elements that every other one comes before or behind split a build into parts that run one after the other.
inline double barrier_bound(const RandomDag& dag, double tokens) {
  const std::size_t n = dag.size(), words = (n + 63) / 64;
  std::vector<std::uint64_t> before(n * words);
  std::vector<std::size_t> others(n);  // that are comparable to it
  for (std::size_t i = 0; i < n; ++i) {
    auto* own = &before[i * words];
    for (const auto d : dag.dependencies[i]) {
      for (std::size_t w = 0; w < words; ++w) own[w] |= before[d * words + w];
      own[d / 64] |= std::uint64_t{1} << (d % 64);
    }
    for (std::size_t w = 0; w < words; ++w)
      for (auto bits = own[w]; bits; bits &= bits - 1) {
        ++others[i];
        ++others[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      }
  }
  double total = 0, work = 0, longest = 0;
  std::vector<double> end(n);  // of its longest way within its part
  // Numbers follow the order of dependence, so all of one part stand between two barriers.
  for (std::size_t i = 0; i < n; ++i) {
    if (others[i] + 1 == n) {
      total += std::max(longest, work / tokens) + dag.milliseconds[i];
      work = longest = 0;
      std::fill(end.begin(), end.begin() + static_cast<std::ptrdiff_t>(i) + 1, 0.0);
      continue;
    }
    for (const auto d : dag.dependencies[i]) end[i] = std::max(end[i], end[d]);
    end[i] += dag.milliseconds[i];
    work += dag.milliseconds[i];
    longest = std::max(longest, end[i]);
  }
  return total + std::max(longest, work / tokens);
}

}  // namespace detail

inline Bounds bounds_of(const RandomDag& dag, int tokens) {
  const auto ways = detail::ways_of(dag);
  const double work = std::accumulate(dag.milliseconds.begin(), dag.milliseconds.end(), 0.0);
  Bounds bounds;
  bounds.simple = std::max(ways.longest, work / tokens);
  bounds.better =
      std::max({bounds.simple, detail::subset_bound(dag, ways, tokens), detail::barrier_bound(dag, tokens)});
  return bounds;
}

}  // namespace weir::test
