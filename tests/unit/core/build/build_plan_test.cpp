#include "core/build/build_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "core/base/random.h"
#include "tests/unit/core/build/plan_fixture.h"

namespace weir {
namespace {

// e0 e1 ...: each may depend on earlier ones, and has sources of the project, from elsewhere, or none.
std::string random_elements(Random& random, std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    text += fmt::format("[element.e{}]\nkind = \"{}\"\n", i, random.chance(0.2) ? "loose" : "plain");
    std::string by_kind[3];
    for (std::uint32_t to = 0; to < i; ++to)
      if (random.chance(0.3)) by_kind[random.below(3)] += fmt::format("\"e{}\", ", to);
    text += fmt::format("depends = [{}]\nbuild-depends = [{}]\nruntime-depends = [{}]\n", by_kind[0],
                        by_kind[1], by_kind[2]);
    std::string sources;
    if (random.chance(0.5)) sources += "{ kind = \"folder\" }, ";
    if (random.chance(0.3)) sources += "{ kind = \"far\", url = \"http://localhost/x\", ref = \"r1\" }, ";
    if (random.chance(0.1)) sources += "{ kind = \"far\", url = \"http://localhost/y\" }, ";
    text += fmt::format("source = [{}]\n", sources);
  }
  return text;
}

// What a plan says of an element.
std::string said(const BuildPlan& plan, ElementId id) {
  std::string text = fmt::format("{}{}", plan.name(id), plan.pinned(id) ? " pinned" : "");
  if (plan.has_key(id)) text += fmt::format(" {} {}", plan.recipe_key(id).hex(), plan.recipe(id));
  for (std::size_t i = 0; i < plan.sources(id).size(); ++i) text += " " + plan.source_ref(id, i);
  return text;
}

void grow(BuildPlan& plan, PlanWorld& world, const std::vector<ElementId>& targets) {
  Diagnostics diagnostics;
  auto part = plan.prepare(plan.unplanned(targets), world.store(), diagnostics);
  ASSERT_TRUE(part) << part.error().message;
  ASSERT_FALSE(diagnostics.has_errors());
  plan.add(std::move(*part));
}

std::vector<ElementId> some_of(const ProjectGraph& graph, Random& random) {
  std::vector<ElementId> all;
  for (std::uint32_t i = 0; i < graph.graph.size(); ++i)
    if (random.chance(0.25)) all.push_back(ElementId{i});
  return all;
}

void same_keys_in_parts(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  const auto count = static_cast<std::uint32_t>(2 + random.below(12));
  PlanWorld world(random_elements(random, count));
  for (std::uint32_t i = 0; i < count; ++i)
    world.folder.write(fmt::format("src/e{}/file", i), fmt::format("{}", i % 3));
  const auto graph = world.whole({fmt::format("e{}", random.below(count))});
  Diagnostics diagnostics;
  const auto once = BuildPlan::make(world.input(graph), count, world.store(), world.host(), diagnostics);
  auto grown = BuildPlan::make(world.input(graph), graph.chosen, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(once && grown);
  for (int order = 0; order < 4; ++order) {
    const auto targets = order < 3 ? some_of(graph, random) : once->planned_elements();
    grow(*grown, world, targets);
    EXPECT_TRUE(grown->unplanned(targets).empty());
    for (const auto id : grown->planned_elements()) EXPECT_EQ(said(*grown, id), said(*once, id));
  }
  EXPECT_EQ(grown->planned_elements().size(), count);
}

TEST(BuildPlan, planned_in_parts_has_the_same_keys_as_planned_at_once) {
  for (std::uint64_t seed = 1; seed <= 25 && !testing::Test::HasFailure(); ++seed) same_keys_in_parts(seed);
}

TEST(BuildPlan, of_a_part_of_its_graph_knows_what_is_missing_for_a_target) {
  PlanWorld world(
      "[element]\na.kind = \"plain\"\nb.kind = \"plain\"\nb.depends = [\"a\"]\nc.kind = "
      "\"plain\"\nc.build-depends = [\"b\"]\n"
      "c.runtime-depends = [\"d\"]\nd.kind = \"plain\"\nx.kind = \"plain\"\n");
  const auto graph = world.whole({"a"});
  Diagnostics diagnostics;
  auto plan = BuildPlan::make(world.input(graph), graph.chosen, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->planned_elements(), world.ids(graph, {"a"}));
  EXPECT_EQ(plan->unplanned(world.ids(graph, {"c", "a"})), world.ids(graph, {"b", "d", "c"}));
  EXPECT_FALSE(plan->has_key(world.ids(graph, {"c"}).front()));
  grow(*plan, world, world.ids(graph, {"c"}));
  EXPECT_TRUE(plan->has_key(world.ids(graph, {"c"}).front()));
  EXPECT_FALSE(plan->planned(world.ids(graph, {"x"}).front()));
}

TEST(BuildPlan, stays_as_it_is_when_a_source_of_the_new_part_is_not_there) {
  PlanWorld world(
      "[element]\na.kind = \"plain\"\nb.kind = \"plain\"\nb.depends = [\"a\"]\nb.source = [{ kind = "
      "\"folder\" }]\n");
  const auto graph = world.whole({"a"});
  Diagnostics diagnostics;
  auto plan = BuildPlan::make(world.input(graph), graph.chosen, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan);
  const auto a = world.ids(graph, {"a"}), b = world.ids(graph, {"b"});
  const auto before = said(*plan, a.front());
  Diagnostics complaints;
  ASSERT_TRUE(plan->prepare(plan->unplanned(b), world.store(), complaints));
  ASSERT_EQ(complaints.errors(), 1u);
  EXPECT_EQ(complaints.all().front().message,
            "the folder source of element \"b\": there is no \"src/b\" in the project");
  EXPECT_EQ(plan->planned_elements(), a);
  EXPECT_EQ(said(*plan, a.front()), before);
  world.folder.write("src/b/file", "now it is");
  grow(*plan, world, b);
  EXPECT_TRUE(plan->has_key(b.front()));
}

TEST(BuildPlan, preparing_a_part_stops_when_it_is_told_to) {
  PlanWorld world("[element]\na.kind = \"plain\"\n");
  const auto graph = world.whole({"a"});
  const BuildPlan plan(world.input(graph), world.host());
  std::stop_source stop;
  stop.request_stop();
  Diagnostics diagnostics;
  const auto part = plan.prepare(world.ids(graph, {"a"}), world.store(), diagnostics, stop.get_token());
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().reason, Reason::cancelled);
}

// In a run that tracks, keys come with the refs; what is added meanwhile waits for those of its dependencies.
TEST(BuildPlan, a_key_of_the_new_part_waits_for_refs_that_are_being_tracked) {
  PlanWorld world(
      "[element.a]\nkind = \"plain\"\nsource = [{ kind = \"far\", url = \"http://localhost/x\", ref = "
      "\"old\" }]\n"
      "[element.b]\nkind = \"plain\"\ndepends = [\"a\"]\n");
  const auto graph = world.whole({"a"});
  Diagnostics diagnostics;
  auto plan = BuildPlan::make(world.input(graph), graph.chosen, world.store(), world.host(), diagnostics);
  auto known = BuildPlan::make(world.input(graph), 2, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan && known);
  const auto a = world.ids(graph, {"a"}).front(), b = world.ids(graph, {"b"}).front();
  plan->forget_keys();
  grow(*plan, world, {b});
  EXPECT_FALSE(plan->has_key(b));
  plan->set_ref(a, 0, "new");
  known->forget_keys();
  known->set_ref(a, 0, "new");
  EXPECT_EQ(plan->recipe_key(b), known->recipe_key(b));
}

// A runtime dependency decides on no key of its user, and may be tracked after it.
TEST(BuildPlan, a_key_is_found_without_those_that_may_still_change) {
  PlanWorld world(
      "[element.r]\nkind = \"plain\"\nsource = [{ kind = \"far\", url = \"http://localhost/x\", ref = "
      "\"old\" }]\n"
      "[element.app]\nkind = \"plain\"\nruntime-depends = [\"r\"]\n"
      "[element.user]\nkind = \"plain\"\ndepends = [\"app\"]\n");
  const auto graph = world.whole({"user"});
  Diagnostics diagnostics;
  auto plan = BuildPlan::make(world.input(graph), 3, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan);
  const auto r = world.ids(graph, {"r"}).front(), app = world.ids(graph, {"app"}).front(),
             user = world.ids(graph, {"user"}).front();
  const auto old_r = plan->recipe_key(r), old_app = plan->recipe_key(app), old_user = plan->recipe_key(user);
  plan->forget_keys();
  EXPECT_EQ(plan->recipe_key(app), old_app);
  plan->set_ref(r, 0, "new");
  EXPECT_NE(plan->recipe_key(r), old_r);
  EXPECT_NE(plan->recipe_key(user), old_user);
}

// An element that changes, and all that are built with it or with one of these, get new keys; no other does.
void changes_the_keys_of_its_users(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  Random random(seed);
  const auto count = static_cast<std::uint32_t>(2 + random.below(14));
  const auto elements = random_elements(random, count);
  const auto changed = random.below(count);
  std::vector<std::map<std::string, std::string>> keys;
  std::map<std::string, bool> with;
  for (const auto* ref : {"r1", "r2"}) {
    auto text = elements + "[element.other]\nkind = \"plain\"\n";
    const auto head = fmt::format("[element.e{}]\n", changed);
    text.replace(text.find(head), head.size(), head + fmt::format("env.REF = \"{}\"\n", ref));
    PlanWorld world(text);
    for (std::uint32_t i = 0; i < count; ++i) world.folder.write(fmt::format("src/e{}/file", i), "x");
    const auto graph = world.whole({"other"});
    Diagnostics diagnostics;
    const auto plan =
        BuildPlan::make(world.input(graph), count + 1, world.store(), world.host(), diagnostics);
    ASSERT_TRUE(plan && !diagnostics.has_errors());
    auto& all = keys.emplace_back();
    for (const auto id : plan->planned_elements()) {
      if (!plan->has_key(id)) continue;
      all[plan->name(id)] = plan->recipe_key(id).hex();
      const auto staged = plan->staged(id);
      with[plan->name(id)] =
          plan->name(id) == fmt::format("e{}", changed) ||
          std::any_of(staged.begin(), staged.end(), [&](ElementId one) { return with.at(plan->name(one)); });
    }
  }
  ASSERT_EQ(keys[0].size(), keys[1].size());
  for (const auto& [name, key] : keys[0]) EXPECT_EQ(key != keys[1].at(name), with.at(name)) << name;
}

TEST(BuildPlan, a_change_reaches_the_keys_of_all_that_are_built_with_it) {
  for (std::uint64_t seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed)
    changes_the_keys_of_its_users(seed);
}

// 20,000 elements in a row took minutes, and documents of 20 GB.
TEST(BuildPlan, recipes_do_not_grow_with_the_length_of_a_chain) {
  std::string elements = "[element.e0]\nkind = \"plain\"\n";
  for (int i = 1; i <= 300; ++i)
    elements += fmt::format("[element.e{}]\nkind = \"plain\"\ndepends = [\"e{}\"]\n", i, i - 1);
  PlanWorld world(elements);
  const auto graph = world.whole({"e300"});
  Diagnostics diagnostics;
  const auto plan = BuildPlan::make(world.input(graph), 301, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->staged(world.ids(graph, {"e300"}).front()).size(), 300u);
  const auto size_of = [&](const std::string& name) {
    return plan->recipe(world.ids(graph, {name}).front()).size() - name.size();
  };
  EXPECT_LE(size_of("e300"), size_of("e2") + 8);
}

// A sanitizer of threads has something to see here: the loop asks for keys and learns trees while a part is
// prepared.
TEST(BuildPlan, a_part_is_prepared_beside_the_loop) {
  std::string elements =
      "[element.first]\nkind = \"plain\"\nsource = [{ kind = \"far\", url = \"http://localhost/x\", ref = "
      "\"r\" }]\n";
  for (int i = 0; i < 40; ++i)
    elements += fmt::format(
        "[element.e{}]\nkind = \"plain\"\ndepends = [\"first\"{}]\nsource = [{{ kind = \"folder\" }}]\n", i,
        i ? fmt::format(", \"e{}\"", i - 1) : "");
  PlanWorld world(elements);
  for (int i = 0; i < 40; ++i) world.folder.write(fmt::format("src/e{}/file", i), fmt::format("{}", i));
  const auto graph = world.whole({"first"});
  Diagnostics diagnostics;
  auto plan = BuildPlan::make(world.input(graph), graph.chosen, world.store(), world.host(), diagnostics);
  ASSERT_TRUE(plan);
  const auto first = world.ids(graph, {"first"}).front();
  const auto key = plan->recipe_key(first);

  std::atomic<bool> over = false;
  Result<PlanPart> part = fail(Reason::bug, "nothing came of it");
  std::thread beside([&] {
    Diagnostics own;
    part = plan->prepare(plan->unplanned(world.ids(graph, {"e39"})), world.store(), own);
    over = true;
  });
  do {
    plan->set_tree(first, 0, store::Digest{});
    EXPECT_EQ(store::Key::of(plan->recipe(first)), key);
  } while (!over);
  beside.join();
  ASSERT_TRUE(part);
  plan->add(std::move(*part));
  EXPECT_EQ(plan->planned_elements().size(), 41u);
  EXPECT_TRUE(plan->has_key(world.ids(graph, {"e39"}).front()));
}

}  // namespace
}  // namespace weir
