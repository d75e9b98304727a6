#include <fmt/format.h>

#include <algorithm>

#include "core/project/link.h"

namespace weir {

namespace {

// A ring of thousands is told by its beginning and its end.
constexpr std::size_t kEdgesShown = 12;

struct Visit {
  std::uint32_t element;
  std::uint32_t next = 0;  // the dependency to look at
};

class CycleFinder {
 public:
  CycleFinder(const Project& project, Diagnostics& diagnostics)
      : project_(project),
        diagnostics_(diagnostics),
        state_(project.elements.size(), State::fresh),
        told_(project.elements.size(), false) {}

  void run() {
    for (std::uint32_t i = 0; i < project_.elements.size(); ++i)
      if (state_[i] == State::fresh) visit(i);
  }

 private:
  enum class State : std::uint8_t { fresh, open, done };

  // Not recursive: a chain of 100,000 elements is deeper than a stack.
  void visit(std::uint32_t start) {
    path_.push_back({start});
    state_[start] = State::open;
    while (!path_.empty()) {
      auto& top = path_.back();
      const auto& dependencies = project_.elements[top.element].dependencies;
      if (top.next == dependencies.size()) {
        state_[top.element] = State::done;
        path_.pop_back();
        continue;
      }
      const auto to = index(dependencies[top.next++].to);
      if (state_[to] == State::open) tell(to);
      if (state_[to] != State::fresh) continue;
      state_[to] = State::open;
      path_.push_back({to});
    }
  }

  void tell(std::uint32_t first) {
    const auto begin =
        std::find_if(path_.begin(), path_.end(), [&](const Visit& v) { return v.element == first; });
    if (std::any_of(begin, path_.end(), [&](const Visit& v) { return told_[v.element]; })) return;
    const auto length = static_cast<std::size_t>(path_.end() - begin);
    Diagnostic ring;
    ring.message = length == 1 ? fmt::format("{} depends on itself", name(first))
                               : fmt::format("{} elements depend on each other in a ring", length);
    for (auto at = begin; at != path_.end(); ++at) {
      told_[at->element] = true;
      const auto& edge = project_.elements[at->element].dependencies[at->next - 1];
      if (at == begin) ring.place = edge.place;
      const auto position = static_cast<std::size_t>(at - begin);
      if (length > kEdgesShown && position == kEdgesShown / 2)
        ring.notes.push_back({{}, fmt::format("... {} more ...", length - kEdgesShown)});
      const bool shown =
          length <= kEdgesShown || position < kEdgesShown / 2 || position >= length - kEdgesShown / 2;
      if (shown && length > 1)
        ring.notes.push_back(
            {edge.place, fmt::format("{} depends on {}", name(at->element), name(index(edge.to)))});
    }
    ring.hint = "take one of these dependencies away";
    diagnostics_.add(std::move(ring));
  }

  std::string name(std::uint32_t element) const { return in_quotes(project_.elements[element].name); }

  const Project& project_;
  Diagnostics& diagnostics_;
  std::vector<State> state_;
  std::vector<bool> told_;
  std::vector<Visit> path_;
};

}  // namespace

void find_cycles(const Project& project, Diagnostics& diagnostics) {
  CycleFinder(project, diagnostics).run();
}

}  // namespace weir
