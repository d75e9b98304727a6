#include "core/model/graph.h"

#include <algorithm>
#include <limits>

#include "core/base/assert.h"

namespace weir {

void Graph::reserve(std::size_t elements, std::size_t edges, std::size_t name_bytes) {
  names_.reserve(name_bytes);
  name_ends_.reserve(elements + 1);
  build_.ends.reserve(elements + 1);
  runtime_.ends.reserve(elements + 1);
  build_.targets.reserve(edges);
}

ElementId Graph::add(std::string_view name, std::span<const Edge> dependencies) {
  const ElementId id{static_cast<std::uint32_t>(size())};
  names_.append(name);
  name_ends_.push_back(static_cast<std::uint32_t>(names_.size()));
  for (const auto& edge : dependencies) {
    WEIR_ASSERT(index(edge.to) < index(id), "element {} depends on {}, which comes later", index(id),
                index(edge.to));
    if (edge.kind != DependencyKind::runtime) build_.targets.push_back(edge.to);
    if (edge.kind != DependencyKind::build) runtime_.targets.push_back(edge.to);
  }
  build_.ends.push_back(static_cast<std::uint32_t>(build_.targets.size()));
  runtime_.ends.push_back(static_cast<std::uint32_t>(runtime_.targets.size()));
  return id;
}

std::vector<std::uint32_t> longest_remaining_path(const Graph& graph,
                                                  std::span<const std::uint32_t> weights) {
  constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> length(weights.begin(), weights.end());
  const auto raise = [&](ElementId dependency, std::uint32_t beyond) {
    const auto own = weights[index(dependency)];
    const auto total = beyond > kMax - own ? kMax : own + beyond;
    auto& now = length[index(dependency)];
    now = std::max(now, total);
  };
  for (std::size_t i = graph.size(); i-- > 0;) {
    const ElementId id{static_cast<std::uint32_t>(i)};
    for (const auto dependency : graph.build_dependencies(id)) raise(dependency, length[i]);
    for (const auto dependency : graph.runtime_dependencies(id)) raise(dependency, length[i]);
  }
  return length;
}

}  // namespace weir
