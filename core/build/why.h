// Why an element has to be built, or why it was built last: its recipe against that of the artifact which the
// runs of this project used before, and the same for the dependencies that are part of the reason. Blocks on
// the store.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/build/build_plan.h"
#include "core/build/last_built.h"
#include "core/build/recipe_diff.h"
#include "core/build/survey.h"

namespace weir {

// Of an element that is not cached: why it has to be built. Of one that is: why its artifact was built.
enum class Ground : std::uint8_t {
  never_built,  // no run knew one before
  changed,      // it differs from the one before in `causes`
  waiting,      // nothing but that its dependencies have to be built; only if not cached
  gone,         // the same was built before, and its artifact is or was no longer in the store
  forced,       // --force; only if cached, as are the next two
  found,        // the last run that used it had it from the store
  returned,     // the last run used another one, which differs in `causes`
};
std::string_view to_string(Ground ground);

// Of a dependency that has to be built: what comes out of it is not known yet.
inline constexpr std::string_view kNotBuilt = "not built yet";
bool is_unknown_output(const Difference& cause);  // one that was there before, and has to be built

struct Explanation {
  ElementId element{};
  Standing standing = Standing::waiting;
  Ground ground = Ground::never_built;
  bool above = false;  // it is told elsewhere in the same answer; the rest is empty
  std::uint64_t run =
      0;  // that built the artifact which the ground speaks of; 0: none of this project is known
  std::uint64_t used = 0;  // of a cached one: the run that first used it after another; 0: none has yet
  std::optional<store::Key> recipe_key;    // nothing: it or what it is built with is not tracked yet
  std::optional<store::Key> resolved_key;  // nothing: known when its dependencies are there

  std::vector<Difference> causes;
  std::size_t more_files = 0;
  bool files_counted = true;
  bool untold = false;  // the older recipe is no longer in the store, so nothing can be compared

  std::vector<std::string>
      unbuilt;  // dependencies that have to be built first, or are needed at run time if it is cached
  std::vector<Explanation>
      dependencies;  // of those, and of dependencies that came out differently: their own reasons
  std::size_t more_dependencies = 0;

  // Dependencies that were built after it and came out the same, so that it was not built.
  struct SameOutput {
    std::string name;
    std::string output;
    std::uint64_t run = 0;
  };
  std::vector<SameOutput> came_out_same;

  bool cached() const { return standing == Standing::cached; }
};

struct WhyInput {
  const BuildPlan& plan;
  store::Store& store;
  std::span<const SurveyedElement> survey;  // by ElementId
  const LastBuilt& last;
};
Explanation explain(const WhyInput& input, ElementId element);

// Of one that is being built by this recipe: only what is different about itself. Needs no survey.
Explanation explain_build(const BuildPlan& plan, store::Store& store, const LastBuilt& last,
                          ElementId element, const store::Digest& recipe);

}  // namespace weir
