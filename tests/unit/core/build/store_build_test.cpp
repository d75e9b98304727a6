#include "core/build/store_build.h"

#include <deque>

#include "tests/unit/core/build/plan_fixture.h"

namespace weir {
namespace {

// With a loop that turns when it is told to.
struct AskedBuild {
  AskedBuild(const BuildPlan& plan, store::Store& store, Failures& failures)
      : build(plan, store, failures, arenas,
              {[this](auto call) { posted.push_back(std::move(call)); }, [](ElementId) {}}) {}
  void turn() {
    for (; !posted.empty(); posted.pop_front()) posted.front()();
  }
  // As the queues ask: first whether it is cached.
  Answer may_build(ElementId element) {
    build.cached(element);
    turn();
    build.may_build(element);
    turn();
    return build.may_build(element);
  }
  Arenas arenas{1};
  std::deque<std::function<void()>> posted;
  StoreBuild build;
};

// A person at the terminal may have an element built again whose artifact could not be kept.
TEST(StoreBuild, what_could_not_be_kept_is_kept_with_its_recipe_when_it_is_built_again) {
  PlanWorld world("[element]\na.kind = \"plain\"\n");
  const auto graph = world.whole({"a"});
  Diagnostics diagnostics;
  const auto plan =
      BuildPlan::make(world.input(graph), graph.chosen, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan);
  const auto a = world.ids(graph, {"a"}).front();
  Failures failures(world.folder / "failures");
  AskedBuild asked(*plan, world.store(), failures);
  auto& build = asked.build;
  ASSERT_EQ(asked.may_build(a), Answer::yes);

  const auto log = world.store().put_blob("")->text();
  JobResult result;
  result.outputs = {store::digest_of("a tree that is not there").text(), log};
  EXPECT_FALSE(build.built(a, result));
  result.outputs = {world.store().put_directory({})->text(), log};
  ASSERT_TRUE(build.built(a, result));
  ASSERT_TRUE(build.finish());

  const auto found = *world.store().lookup(plan->recipe_key(a));
  ASSERT_TRUE(found);
  const auto recipe = world.store().read_blob(found->record.recipe);
  ASSERT_TRUE(recipe) << recipe.error().message;
  EXPECT_EQ(store::Key::of(*recipe), found->key);
  EXPECT_EQ(*recipe, plan->resolved_recipe(a, [](ElementId) { return store::Digest{}; }));
}

// A key has the ref of a source. Its files may have been incomplete, and fetched again since.
TEST(StoreBuild, a_failure_counts_only_for_the_files_that_it_happened_with) {
  PlanWorld world("[element]\na = {kind = \"plain\", source = [{kind = \"far\", ref = \"1\"}]}\n");
  const auto graph = world.whole({"a"});
  Diagnostics diagnostics;
  auto plan = BuildPlan::make(world.input(graph), graph.chosen, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan);
  const auto a = world.ids(graph, {"a"}).front();
  const auto part = world.store().put_directory({});
  const auto file = world.store().put_blob("x");
  const auto whole = world.store().put_directory({{{"x", *file, false}}, {}, {}});
  Failures failures(world.folder / "failures");
  const auto fails_with = [&](const store::Digest& tree) {
    plan->set_tree(a, 0, tree);
    AskedBuild asked(*plan, world.store(), failures);
    auto& build = asked.build;
    const auto answer = asked.may_build(a);
    JobResult result;
    result.failure = Failure::command;
    if (answer == Answer::yes) build.not_built(a, result);
    return answer;
  };
  EXPECT_EQ(fails_with(*part), Answer::yes);
  EXPECT_EQ(fails_with(*part), Answer::failed);
  EXPECT_EQ(fails_with(*whole), Answer::yes);
  EXPECT_EQ(fails_with(*whole), Answer::failed);
}

}  // namespace
}  // namespace weir
