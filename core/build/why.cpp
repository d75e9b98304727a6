#include "core/build/why.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace weir {

namespace {

// Elements in one answer: who wants to know more asks for one of them.
constexpr std::size_t kMostElements = 20;

class Explainer {
 public:
  explicit Explainer(WhyInput input) : input_(input) {}

  Explanation explain(ElementId id) {
    told_.insert(index(id));
    Explanation why;
    why.element = id;
    why.standing = input_.survey[index(id)].standing;
    if (input_.plan.has_key(id)) why.recipe_key = input_.plan.recipe_key(id);
    artifact(id) ? cached(why) : missing(why);
    return why;
  }

  Explanation explain_build(ElementId id, const store::Digest& recipe) {
    Explanation why;
    why.element = id;
    const auto* known = last(id);
    if (!known || known->newest.recipe == recipe) return why;
    why.ground = Ground::changed;
    why.run = known->newest.built;
    compare_stored(known->newest, recipe, variables_now(id), why);
    return why;
  }

  // A cached element needs these all the same: a stack is nothing but them.
  void needed_at_run_time(Explanation& why) {
    for (const auto one : input_.plan.runtime_closure(why.element)) {
      if (artifact(one)) continue;
      why.unbuilt.push_back(name(one));
      add_dependency(why, one);
    }
  }

 private:
  const std::string& name(ElementId id) const { return input_.plan.name(id); }
  const LastBuiltElement* last(ElementId id) const { return input_.last.find(name(id)); }
  const std::optional<store::Artifact>& artifact(ElementId id) const {
    return input_.survey[index(id)].artifact;
  }

  void missing(Explanation& why) {
    const auto staged = input_.plan.staged(why.element);
    for (const auto one : staged)
      if (!artifact(one)) why.unbuilt.push_back(name(one));
    const auto document = input_.plan.resolved_recipe(why.element, [this](ElementId one) {
      return artifact(one) ? artifact(one)->record.output : store::Digest{};
    });
    if (why.unbuilt.empty() && input_.plan.pinned(why.element)) why.resolved_key = store::Key::of(document);
    const auto* known = last(why.element);
    if (!known) return;  // never built; neither were most of its dependencies, and that is no reason
    if (const auto* same = same_as(*known, why.resolved_key)) {
      why.ground = Ground::gone;
      why.run = same->built;
      return;
    }
    why.ground = Ground::changed;
    why.run = known->newest.built;
    compare(known->newest, document, variables_now(why.element), why);
    mark_unknown_outputs(why);
    if (!why.untold && std::all_of(why.causes.begin(), why.causes.end(), is_unknown_output))
      why.ground = Ground::waiting;
    for (const auto one : staged)
      if (!artifact(one)) add_dependency(why, one);
    add_changed_dependencies(why, staged);
  }

  void cached(Explanation& why) {
    const auto& own = *artifact(why.element);
    why.resolved_key = own.key;
    const auto* known = last(why.element);
    if (!known) {
      why.ground = Ground::found;
      return;
    }
    const auto& newest = known->newest;
    why.run = newest.built;
    why.used = newest.used;
    if (newest.key != own.key) {
      why.ground = Ground::returned;
      compare_stored(newest, own.record.recipe, variables_now(why.element), why);
      return;
    }
    came_out_same(why, newest);
    if (newest.built > newest.used) {
      why.ground = newest.occasion == Occasion::forced ? Ground::forced : Ground::gone;
      return;
    }
    why.ground = newest.built < newest.used ? Ground::found
                 : known->before            ? Ground::changed
                                            : Ground::never_built;
    if (known->before) compare_stored(*known->before, newest.recipe, newest.variables, why);
    add_changed_dependencies(why, input_.plan.staged(why.element));
  }

  static const KnownArtifact* same_as(const LastBuiltElement& known, const std::optional<store::Key>& key) {
    if (!key) return nullptr;
    if (known.newest.key == *key) return &known.newest;
    return known.before && known.before->key == *key ? &*known.before : nullptr;
  }

  TextMap variables_now(ElementId id) const {
    return variables_of(input_.plan.project(), input_.plan.element(id));
  }

  // A gc may have taken it.
  Result<std::string> read(const store::Digest& digest) const {
    return input_.store.read_blob(digest, store::Store::Missing::is_expected);
  }

  void compare_stored(const KnownArtifact& before, const store::Digest& recipe, const TextMap& variables,
                      Explanation& why) {
    const auto document = read(recipe);
    if (document) compare(before, *document, variables, why);
    else why.untold = true;
  }

  void compare(const KnownArtifact& before, const std::string& document, const TextMap& variables,
               Explanation& why) {
    const auto old_document = read(before.recipe);
    const auto diff =
        old_document
            ? diff_recipes({*old_document, document, [this](const auto& digest) { return read(digest); },
                            source_folders(why.element)})
            : Result<RecipeDiff>(tl::unexpected(old_document.error()));
    if (!diff) {
      why.untold = true;
      return;
    }
    why.causes = diff->differences;
    why.more_files = diff->more_files;
    why.files_counted = diff->files_counted;
    add_variables(why, document, diff_variables(before.variables, variables));
  }

  // A recipe holds what became of variables; which one it was is named beside, if they had an effect at all.
  // Those of the project's [env] have none on a recipe without an environment.
  void add_variables(Explanation& why, const std::string& document, std::vector<Difference> variables) const {
    const auto may_come_of_one = [](const Difference& one) {
      return one.about != About::file && one.about != About::tool && one.about != About::system;
    };
    if (std::none_of(why.causes.begin(), why.causes.end(), may_come_of_one)) return;
    const auto recipe = nlohmann::json::parse(document, nullptr, false);
    const bool has_environment = recipe.is_object() && recipe.contains("env");
    const auto& own = input_.plan.element(why.element).variables;
    for (auto& variable : variables) {
      const auto same_name = [&](const auto& one) { return one.first == variable.name; };
      if (!has_environment && std::none_of(own.begin(), own.end(), same_name)) continue;
      // The prefix stands in every recipe by its own name.
      if (std::find(why.causes.begin(), why.causes.end(), variable) == why.causes.end())
        why.causes.push_back(std::move(variable));
    }
    std::stable_sort(why.causes.begin(), why.causes.end(),
                     [](const auto& a, const auto& b) { return a.about < b.about; });
  }

  // Files of the project are told as they lie there, not as they are staged.
  std::vector<std::string> source_folders(ElementId id) const {
    std::vector<std::string> folders;
    const auto& resolved = input_.plan.resolved_sources(id);
    const auto& sources = input_.plan.element(id).sources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      auto& folder = folders.emplace_back(sources[i].directory);
      const auto* path = sources[i].config.find("path");
      const auto* text = path ? path->value.text() : nullptr;
      if (text && resolved[i].of_project()) folder = project_folder(*text);
      if (!folder.empty() && folder.back() != '/') folder += '/';
    }
    return folders;
  }

  std::string project_folder(const std::string& path) const {
    std::error_code ignored;
    const auto normal = std::filesystem::path(path).lexically_normal();
    const bool file = std::filesystem::is_regular_file(input_.plan.project().root / normal, ignored);
    const auto folder = (file ? normal.parent_path() : normal).string();
    return folder == "." || folder == "./" ? std::string() : folder;
  }

  // Of a dependency that is still to be built nobody knows whether it comes out differently.
  static void mark_unknown_outputs(Explanation& why) {
    for (auto& one : why.causes)
      if (one.about == About::dependency && one.to &&
          std::find(why.unbuilt.begin(), why.unbuilt.end(), one.name) != why.unbuilt.end())
        one.to = kNotBuilt;
  }

  void add_dependency(Explanation& why, ElementId id) {
    Explanation above;
    above.element = id;
    above.standing = input_.survey[index(id)].standing;
    above.above = true;
    if (told_.contains(index(id))) why.dependencies.push_back(above);
    else if (told_.size() >= kMostElements) ++why.more_dependencies;
    else why.dependencies.push_back(explain(id));
  }

  // Its last change is the reason only if that is what turned the one output into the other.
  void add_changed_dependencies(Explanation& why, const std::vector<ElementId>& staged) {
    const auto causes = why.causes;
    for (const auto& cause : causes) {
      if (cause.about != About::dependency || !cause.from || !cause.to) continue;
      const auto at =
          std::find_if(staged.begin(), staged.end(), [&](ElementId one) { return name(one) == cause.name; });
      const auto* known = at == staged.end() ? nullptr : last(*at);
      if (!known || !known->before || !artifact(*at) || artifact(*at)->key != known->newest.key) continue;
      if (short_digest(known->newest.output) == *cause.to &&
          short_digest(known->before->output) == *cause.from)
        add_dependency(why, *at);
    }
  }

  void came_out_same(Explanation& why, const KnownArtifact& own) const {
    for (const auto one : input_.plan.staged(why.element)) {
      const auto* known = last(one);
      if (!known || !known->before || own.built == 0 || known->newest.built <= own.built) continue;
      if (known->newest.built != known->newest.used || known->newest.output != known->before->output)
        continue;
      why.came_out_same.push_back({name(one), short_digest(known->newest.output), known->newest.built});
    }
  }

  WhyInput input_;
  std::unordered_set<std::uint32_t> told_;
};

}  // namespace

bool is_unknown_output(const Difference& cause) {
  return cause.about == About::dependency && cause.from && cause.to == kNotBuilt;
}

std::string_view to_string(Ground ground) {
  switch (ground) {
    case Ground::never_built: return "never-built";
    case Ground::changed: return "changed";
    case Ground::waiting: return "waiting";
    case Ground::gone: return "gone";
    case Ground::forced: return "forced";
    case Ground::found: return "found";
    case Ground::returned: return "returned";
  }
  return "";
}

Explanation explain_build(const BuildPlan& plan, store::Store& store, const LastBuilt& last,
                          ElementId element, const store::Digest& recipe) {
  return Explainer({plan, store, {}, last}).explain_build(element, recipe);
}

Explanation explain(const WhyInput& input, ElementId element) {
  Explainer explainer(input);
  auto why = explainer.explain(element);
  if (why.cached()) explainer.needed_at_run_time(why);
  return why;
}

}  // namespace weir
