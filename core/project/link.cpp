#include "core/project/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace weir {

namespace {

class Linker {
 public:
  Linker(bool complete, Project& project, Diagnostics& diagnostics)
      : complete_(complete), project_(project), diagnostics_(diagnostics) {}

  void run(std::vector<DraftPointer> drafts) {
    // Stable: of two with one name, the one of weir.toml comes first.
    std::stable_sort(drafts.begin(), drafts.end(),
                     [](const auto& a, const auto& b) { return a->element.name < b->element.name; });
    drop_duplicates(drafts);
    by_name_.reserve(drafts.size());
    for (const auto& draft : drafts)
      by_name_.emplace(draft->element.name, static_cast<std::uint32_t>(by_name_.size()));
    for (auto& draft : drafts) link(*draft);
    // by_name_ looks into the drafts, so they are taken apart last.
    project_.elements.reserve(drafts.size());
    for (auto& draft : drafts) project_.elements.push_back(std::move(draft->element));
  }

 private:
  void drop_duplicates(std::vector<DraftPointer>& drafts) {
    const auto same = [&](const DraftPointer& first, const DraftPointer& second) {
      const auto &a = *first, &b = *second;
      if (a.element.name != b.element.name) return false;
      diagnostics_.add({Severity::error,
                        b.element.place,
                        fmt::format("a second element {}", in_quotes(a.element.name)),
                        {},
                        {{a.element.place, "the first one"}}});
      return true;
    };
    drafts.erase(std::unique(drafts.begin(), drafts.end(), same), drafts.end());
  }

  void link(ElementDraft& draft) {
    auto& element = draft.element;
    for (const auto& list : draft.dependencies)
      for (const auto& name : list.names) add_dependency(element, list.kind, name);
    for (const auto& need : element.needs) check_need(need);
    for (const auto& resource : element.exclusive) check_resource(resource.text, resource.place);
  }

  void add_dependency(Element& element, DependencyKind kind, const PlacedText& name) {
    const auto found = by_name_.find(name.text);
    if (found == by_name_.end()) return missing(element, name);
    const ElementIndex to{found->second};
    auto& all = element.dependencies;
    // Lists are short; one of a hundred costs 5,000 comparisons, once.
    const auto same = std::find_if(all.begin(), all.end(), [&](const Dependency& d) { return d.to == to; });
    if (same == all.end()) return all.push_back({to, kind, name.place});
    if (same->kind == kind || same->kind == DependencyKind::both)
      diagnostics_.warning(name.place, fmt::format("{} is a dependency of {} already", in_quotes(name.text),
                                                   in_quotes(element.name)));
    same->kind = same->kind == kind ? kind : DependencyKind::both;
  }

  void missing(const Element& element, const PlacedText& name) {
    std::string hint;
    if (suggestions_left_ > 0) {
      --suggestions_left_;
      hint = suggestion(name.text, names());
    }
    if (!complete_ && hint.empty()) return;
    diagnostics_.error(name.place,
                       fmt::format("{} depends on {}, and there is no such element", in_quotes(element.name),
                                   in_quotes(name.text)),
                       std::move(hint));
  }

  void check_need(const Element::Need& need) {
    const auto* resource = check_resource(need.resource, need.place);
    if (resource == nullptr || resource->amount.automatic || need.amount <= resource->amount.value) return;
    diagnostics_.error(need.place, fmt::format("needs {} of {}, and there are {}", need.amount,
                                               in_quotes(need.resource), resource->amount.value));
  }

  const Resource* check_resource(std::string_view name, Place place) {
    const auto* resource = project_.resource(name);
    if (resource != nullptr) return resource;
    std::vector<std::string_view> all;
    for (const auto& r : project_.resources) all.push_back(r.name);
    auto hint = suggestion(name, all);
    diagnostics_.error(place, fmt::format("unknown resource {}", in_quotes(name)),
                       hint.empty() ? "declare it in [resources] of weir.toml" : std::move(hint));
    return nullptr;
  }

  const std::vector<std::string_view>& names() {
    if (names_.empty())
      for (const auto& [name, at] : by_name_) names_.push_back(name);
    // A map's order is nobody's: among equals the first by name is suggested.
    std::sort(names_.begin(), names_.end());
    return names_;
  }

  bool complete_;
  Project& project_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::vector<std::string_view> names_;
  // Each looks at every name: 5 ms with 100,000 elements.
  unsigned suggestions_left_ = 50;
};

}  // namespace

void link_elements(std::vector<DraftPointer> drafts, bool complete, Project& project,
                   Diagnostics& diagnostics) {
  Linker(complete, project, diagnostics).run(std::move(drafts));
}

}  // namespace weir
