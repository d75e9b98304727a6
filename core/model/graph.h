// The elements of a run and what they depend on: names and edges, nothing else. Contiguous and immutable once
// built.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ids.h"

namespace weir {

enum class DependencyKind : std::uint8_t {
  build,    // staged while the element is built
  runtime,  // needed by whoever uses the element
  both,
};

class Graph {
 public:
  // Elements come in depth-first order: add() refuses an edge to an element that is not there yet, by
  // assertion, so a Graph is acyclic by construction. Cycles in a user's project are found and told by
  // core/project.
  struct Edge {
    ElementId to;
    DependencyKind kind;
  };
  ElementId add(std::string_view name, std::span<const Edge> dependencies);
  void reserve(std::size_t elements, std::size_t edges, std::size_t name_bytes);

  std::size_t size() const { return name_ends_.size() - 1; }
  std::size_t edges() const { return build_.targets.size() + runtime_.targets.size(); }
  std::string_view name(ElementId id) const {
    const auto i = index(id);
    return std::string_view(names_).substr(name_ends_[i], name_ends_[i + 1] - name_ends_[i]);
  }
  // What must be there, with its runtime closure, before the element can be built.
  std::span<const ElementId> build_dependencies(ElementId id) const { return build_.of(id); }
  std::span<const ElementId> runtime_dependencies(ElementId id) const { return runtime_.of(id); }

 private:
  struct Adjacency {
    std::vector<std::uint32_t> ends{0};
    std::vector<ElementId> targets;
    std::span<const ElementId> of(ElementId id) const {
      const auto i = index(id);
      return {targets.data() + ends[i], targets.data() + ends[i + 1]};
    }
  };
  std::string names_;
  std::vector<std::uint32_t> name_ends_{0};
  Adjacency build_;
  Adjacency runtime_;
};

// The length of the longest way from each element to the end of everything that builds on it, its own weight
// included. Weights are recorded durations in any unit; one pass over the edges.
std::vector<std::uint32_t> longest_remaining_path(const Graph& graph, std::span<const std::uint32_t> weights);

}  // namespace weir
