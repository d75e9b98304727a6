#include "core/base/assert.h"
#include "core/project/targets.h"

namespace weir {

namespace {

class GraphMaker {
 public:
  GraphMaker(const Project& project, std::span<const ElementIndex> targets, DependencyScope scope)
      : project_(project),
        targets_(targets),
        scope_(scope),
        wanted_(project.elements.size(), false),
        open_(project.elements.size(), false) {
    out_.ids.assign(project.elements.size(), kNoElement);
  }

  ProjectGraph run() {
    mark();
    reserve();
    visit_targets();
    return std::move(out_);
  }

  ProjectGraph run_whole() {
    wanted_.assign(wanted_.size(), true);
    reserve();
    visit_targets();
    for (std::uint32_t i = 0; i < project_.elements.size(); ++i) visit(ElementIndex{i});
    return std::move(out_);
  }

 private:
  // Which elements are part of it, before their order: the edges that are kept depend on it.
  void mark() {
    std::vector<ElementIndex> todo;
    const auto want = [&](ElementIndex i) {
      if (wanted_[index(i)]) return;
      wanted_[index(i)] = true;
      todo.push_back(i);
    };
    for (const auto target : targets_) want(target);
    if (scope_ == DependencyScope::none) return;
    if (scope_ == DependencyScope::build) {
      // Only here do the targets differ from what they pull in: their own runtime dependencies stay out.
      const auto roots = std::move(todo);
      todo.clear();
      for (const auto root : roots)
        for (const auto& dependency : project_[root].dependencies)
          if (dependency.kind != DependencyKind::runtime) follow(dependency.to, want, todo);
    }
    while (!todo.empty()) {
      const auto next = todo.back();
      todo.pop_back();
      for (const auto& dependency : project_[next].dependencies)
        if (scope_ != DependencyScope::run || dependency.kind != DependencyKind::build) want(dependency.to);
    }
  }
  // A target that another one is built with needs its runtime dependencies after all.
  template <class Want>
  void follow(ElementIndex to, const Want& want, std::vector<ElementIndex>& todo) {
    if (wanted_[index(to)]) todo.push_back(to);
    else want(to);
  }

  void visit_targets() {
    for (const auto target : targets_) visit(target);
    out_.chosen = out_.elements.size();
  }

  void reserve() {
    std::size_t elements = 0, edges = 0, bytes = 0;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (!wanted_[i]) continue;
      ++elements;
      edges += project_.elements[i].dependencies.size();
      bytes += project_.elements[i].name.size();
    }
    out_.graph.reserve(elements, edges, bytes);
    out_.elements.reserve(elements);
  }

  // Depth first without recursion: a chain of 100,000 elements is deeper than a stack.
  void visit(ElementIndex start) {
    if (out_.ids[index(start)] != kNoElement) return;
    path_.push_back({start, 0});
    open_[index(start)] = true;
    while (!path_.empty()) {
      auto& [element, next] = path_.back();
      const auto& dependencies = project_[element].dependencies;
      if (next == dependencies.size()) {
        add(element);
        path_.pop_back();
        continue;
      }
      const auto to = dependencies[next++].to;
      if (!wanted_[index(to)] || out_.ids[index(to)] != kNoElement) continue;
      WEIR_ASSERT(!open_[index(to)], "element {} is part of a cycle that loading did not find",
                  project_[to].name);
      open_[index(to)] = true;
      path_.push_back({to, 0});
    }
  }

  void add(ElementIndex element) {
    edges_.clear();
    for (const auto& dependency : project_[element].dependencies)
      if (wanted_[index(dependency.to)]) edges_.push_back({out_.ids[index(dependency.to)], dependency.kind});
    out_.ids[index(element)] = out_.graph.add(project_[element].name, edges_);
    out_.elements.push_back(element);
  }

  const Project& project_;
  std::span<const ElementIndex> targets_;
  DependencyScope scope_;
  std::vector<bool> wanted_;
  std::vector<bool> open_;
  std::vector<std::pair<ElementIndex, std::size_t>> path_;
  std::vector<Graph::Edge> edges_;
  ProjectGraph out_;
};

}  // namespace

ProjectGraph make_graph(const Project& project, std::span<const ElementIndex> targets,
                        DependencyScope scope) {
  return GraphMaker(project, targets, scope).run();
}

ProjectGraph make_whole_graph(const Project& project, std::span<const ElementIndex> targets) {
  return GraphMaker(project, targets, DependencyScope::all).run_whole();
}

}  // namespace weir
