#include "core/build/survey.h"

#include <algorithm>

#include "core/build/fetched_sources.h"
#include "core/build/project_sources.h"

namespace weir {

namespace {

class Survey {
 public:
  Survey(const BuildPlan& plan, store::Store& store, const Failures& failures)
      : plan_(plan),
        store_(store),
        failures_(failures),
        all_(plan.graph().graph.size()),
        usable_(all_.size()) {}

  Result<std::vector<SurveyedElement>> run() {
    // Dependencies have the lower ids.
    for (const auto id : plan_.planned_elements())
      if (auto done = element(id); !done) return tl::unexpected(done.error());
      else usable_[index(id)] = there(id) && all_usable(plan_.graph().graph.runtime_dependencies(id));
    return std::move(all_);
  }

 private:
  bool there(ElementId id) const { return all_[index(id)].artifact.has_value(); }
  bool all_usable(std::span<const ElementId> ids) const {
    return std::all_of(ids.begin(), ids.end(), [this](ElementId id) { return usable_[index(id)]; });
  }

  Status element(ElementId id) {
    auto& own = all_[index(id)];
    if (!plan_.has_key(id)) {
      own.standing = plan_.pinned(id) ? Standing::waiting : Standing::no_ref;
      return {};
    }
    auto found = store_.lookup(plan_.recipe_key(id));
    if (!found) return tl::unexpected(found.error());
    if (!*found && all_usable(plan_.directly_staged(id))) {
      const auto output = [this](ElementId one) { return all_[index(one)].artifact->record.output; };
      const auto resolved = store::Key::of(plan_.resolved_recipe(id, output));
      found = store_.lookup(resolved);
      if (!found) return tl::unexpected(found.error());
      const auto failed = failed_with_its_sources(id, resolved);
      if (!failed) return tl::unexpected(failed.error());
      own.standing = *failed ? Standing::failed : Standing::buildable;
    }
    own.artifact = std::move(*found);
    if (own.artifact) own.standing = Standing::cached;
    else if (own.standing != Standing::failed) return look_for_sources(id, own);
    return {};
  }

  Result<bool> failed_with_its_sources(ElementId id, const store::Key& resolved) const {
    const auto failed_with = failures_.find(resolved);
    if (!failed_with) return false;
    auto sources = plan_.sources(id);
    const auto fetched = fill_in_fetched(plan_, store_, id, sources);
    if (!fetched) return tl::unexpected(fetched.error());
    return failed_with == Failures::trees_of(sources);
  }

  Status look_for_sources(ElementId id, SurveyedElement& own) {
    for (const auto& key : source_keys(plan_, id)) {
      const auto found = store_.lookup(key);
      if (!found) return tl::unexpected(found.error());
      if (!*found) own.standing = Standing::fetch_needed;
    }
    return {};
  }

  const BuildPlan& plan_;
  store::Store& store_;
  const Failures& failures_;
  std::vector<SurveyedElement> all_;
  std::vector<bool> usable_;  // it is there, and so is all that it needs at run time
};

}  // namespace

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::no_ref: return "no-ref";
    case Standing::waiting: return "waiting";
    case Standing::fetch_needed: return "fetch-needed";
    case Standing::buildable: return "buildable";
    case Standing::cached: return "cached";
    case Standing::failed: return "failed";
  }
  return "";
}

Result<std::vector<SurveyedElement>> survey(const BuildPlan& plan, store::Store& store,
                                            const Failures& failures) {
  return Survey(plan, store, failures).run();
}

}  // namespace weir
