// How far each element has come, as queues may see it. The scheduler writes it; queues read it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/graph.h"
#include "core/model/ids.h"

namespace weir {

class Progress {
 public:
  // `keys_known`: nothing is tracked in this run, so every key is known from the start.
  Progress(const Graph& graph, bool keys_known)
      : graph_(graph),
        marks_(graph.size(), keys_known ? kKeyed : 0),
        build_cursor_(graph.size(), 0),
        runtime_cursor_(graph.size(), 0),
        key_cursor_(keys_known ? 0 : graph.size(), 0) {}

  const Graph& graph() const { return graph_; }
  // Its own sources are tracked, and so are those of all its dependencies.
  bool keyed(ElementId id) const { return has(id, kKeyed); }
  bool available(ElementId id) const { return has(id, kAvailable); }
  // It failed, was cancelled, or cannot be made because of another one: nothing more will come of it.
  bool hopeless(ElementId id) const { return has(id, kHopeless); }

  // The first build dependency that is not available, if any. Availability never goes away, so each edge is
  // looked at once in a run, however often this is asked.
  std::optional<ElementId> first_missing(ElementId id) {
    return advance(build_cursor_[index(id)], graph_.build_dependencies(id), kAvailable);
  }
  std::optional<ElementId> first_missing_at_runtime(ElementId id) {
    return advance(runtime_cursor_[index(id)], graph_.runtime_dependencies(id), kAvailable);
  }
  // The first build dependency whose key is not known.
  std::optional<ElementId> first_without_key(ElementId id) {
    if (key_cursor_.empty()) return std::nullopt;
    return advance(key_cursor_[index(id)], graph_.build_dependencies(id), kKeyed);
  }
  // Asked once per element that was tracked, and by queues of plugins, so it needs no cursor.
  std::optional<ElementId> first_without_key_at_runtime(ElementId id) const {
    if (key_cursor_.empty()) return std::nullopt;
    for (const auto dependency : graph_.runtime_dependencies(id))
      if (!keyed(dependency)) return dependency;
    return std::nullopt;
  }

  // For the scheduler.
  void set_keyed(ElementId id) { marks_[index(id)] |= kKeyed; }
  void set_available(ElementId id) { marks_[index(id)] |= kAvailable; }
  void set_hopeless(ElementId id) { marks_[index(id)] |= kHopeless; }

 private:
  static constexpr std::uint8_t kKeyed = 1, kAvailable = 2, kHopeless = 4;

  bool has(ElementId id, std::uint8_t mark) const { return marks_[index(id)] & mark; }
  std::optional<ElementId> advance(std::uint32_t& cursor, std::span<const ElementId> dependencies,
                                   std::uint8_t mark) const {
    while (cursor < dependencies.size() && has(dependencies[cursor], mark)) ++cursor;
    if (cursor == dependencies.size()) return std::nullopt;
    return dependencies[cursor];
  }

  const Graph& graph_;
  std::vector<std::uint8_t> marks_;
  std::vector<std::uint32_t> build_cursor_;    // all dependencies before it are available
  std::vector<std::uint32_t> runtime_cursor_;  // likewise
  std::vector<std::uint32_t> key_cursor_;      // all before it are keyed; empty where nothing is tracked
};

}  // namespace weir
