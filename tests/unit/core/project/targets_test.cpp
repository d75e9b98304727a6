#include "core/project/targets.h"

#include <fmt/format.h>

#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

std::string order(const Project& project, std::vector<std::string> targets,
                  DependencyScope scope = DependencyScope::all) {
  const auto chosen = select_targets(project, targets);
  if (!chosen) return chosen.error().message + " | " + chosen.error().remedy;
  const auto made = make_graph(project, *chosen, scope);
  std::string text;
  for (std::uint32_t i = 0; i < made.graph.size(); ++i) {
    EXPECT_EQ(made.ids[index(made.elements[i])], ElementId{i});
    text += (i ? " " : "") + std::string(made.graph.name(ElementId{i}));
  }
  return text;
}

LoadedProject sample() {
  return load_texts(R"(
project.default = ["app"]
[element.app]
kind = "stack"
depends = ["zlib", "base/a"]
build-depends = ["cc"]
runtime-depends = ["data"]
[element.cc]
kind = "stack"
runtime-depends = ["as"]
[element]
as.kind = "stack"
data.kind = "stack"
zlib.kind = "stack"
"base/a".kind = "stack"
"base/b".kind = "stack"
"base/x/c".kind = "stack"
)");
}

TEST(Targets, dependencies_come_first_in_the_order_in_which_they_are_listed) {
  const auto loaded = sample();
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  EXPECT_EQ(order(loaded.project, {}), "zlib base/a as cc data app");
}

TEST(Targets, are_taken_in_the_given_order_and_once) {
  const auto loaded = sample();
  EXPECT_EQ(order(loaded.project, {"data", "cc", "data", "base/*"}), "data as cc base/a base/b");
}

TEST(Targets, the_scope_decides_which_dependencies_come_along) {
  const auto loaded = sample();
  EXPECT_EQ(order(loaded.project, {"app"}, DependencyScope::none), "app");
  EXPECT_EQ(order(loaded.project, {"app", "cc"}, DependencyScope::none), "cc app");
  EXPECT_EQ(order(loaded.project, {"app"}, DependencyScope::build), "zlib base/a as cc app");
  EXPECT_EQ(order(loaded.project, {"app", "cc"}, DependencyScope::build), "zlib base/a as cc app");
  EXPECT_EQ(order(loaded.project, {"cc"}, DependencyScope::build), "cc");
  EXPECT_EQ(order(loaded.project, {"app"}, DependencyScope::run), "zlib base/a data app");
}

TEST(Targets, unknown_ones_are_all_named_with_what_was_meant) {
  const auto loaded = sample();
  EXPECT_EQ(order(loaded.project, {"zlob", "app", "nothing/*"}),
            R"(no element "zlob"; nothing matches "nothing/*" | did you mean "zlib"?)");
}

TEST(Targets, without_a_default_what_nothing_depends_on_is_built) {
  const auto loaded = load_texts(
      "[element]\na.kind = \"stack\"\nb.kind = \"stack\"\nb.depends = [\"a\"]\nc.kind = \"stack\"\n");
  EXPECT_EQ(order(loaded.project, {}), "a b c");
  EXPECT_EQ(order(load_texts("").project, {}), "");
}

TEST(Targets, a_star_stays_within_a_part_and_two_cross_slashes) {
  const std::pair<const char*, const char*> matching[] = {{"*", "zlib"},           {"base/*", "base/a"},
                                                          {"**", "base/x/c"},      {"**/c", "base/x/c"},
                                                          {"**/zlib", "zlib"},     {"base/**", "base/x/c"},
                                                          {"b*/**/c", "base/x/c"}, {"b**c", "base/x/c"},
                                                          {"z?ib", "zlib"},        {"?", "é"},
                                                          {"a*b*c", "a-b-b-c"},    {"base/**/c", "base/c"}};
  for (const auto& [pattern, name] : matching)
    EXPECT_TRUE(glob_matches(pattern, name)) << pattern << " " << name;
  const std::pair<const char*, const char*> other[] = {
      {"*", "base/a"}, {"base/*", "base/x/c"}, {"?", "/"},         {"**/b", "base/ab"}, {"*c", "base/x/c"},
      {"", "a"},       {"a*", "ba"},           {"base/**", "base"}};
  for (const auto& [pattern, name] : other)
    EXPECT_FALSE(glob_matches(pattern, name)) << pattern << " " << name;
}

TEST(Targets, many_stars_do_not_take_for_ever) {
  std::string pattern, name(200, 'a');
  for (int i = 0; i < 60; ++i) pattern += "**/*a*";
  EXPECT_FALSE(glob_matches(pattern + "b", name));
}

std::string names_of(const ProjectGraph& made, std::size_t from, std::size_t to) {
  std::string text;
  for (auto i = static_cast<std::uint32_t>(from); i < to; ++i)
    text += (i > from ? " " : "") + std::string(made.graph.name(ElementId{i}));
  return text;
}

TEST(Graph, of_the_whole_project_begins_with_what_the_targets_need_and_goes_on_with_the_rest) {
  const auto loaded = load_texts(
      "[element]\na.kind = \"stack\"\na.depends = [\"y\", \"c\"]\nb.kind = \"stack\"\nb.depends = "
      "[\"c\"]\nc.kind = \"stack\"\n"
      "x.kind = \"stack\"\nx.depends = [\"y\"]\ny.kind = \"stack\"\n");
  const std::string top[] = {"b"};
  const auto targets = *select_targets(loaded.project, top);
  const auto part = make_graph(loaded.project, targets);
  const auto whole = make_whole_graph(loaded.project, targets);
  EXPECT_EQ(part.chosen, 2u);
  EXPECT_EQ(whole.chosen, 2u);
  EXPECT_EQ(names_of(part, 0, part.graph.size()), "c b");
  EXPECT_EQ(names_of(whole, 0, whole.chosen), "c b");
  EXPECT_EQ(names_of(whole, whole.chosen, whole.graph.size()), "y a x");
  for (std::uint32_t i = 0; i < whole.elements.size(); ++i)
    EXPECT_EQ(whole.ids[index(whole.elements[i])], ElementId{i});
  // `a` has its edges, also the one into the first part.
  const auto dependencies = whole.graph.build_dependencies(ElementId{3});
  EXPECT_EQ(std::vector<ElementId>(dependencies.begin(), dependencies.end()),
            (std::vector<ElementId>{ElementId{2}, ElementId{0}}));
}

constexpr int kMany = 100'000;

// e0 needs e1 needs e2 ...; the last one needs `last`.
LoadedProject long_chain(const std::string& last) {
  std::vector<TextFile> files;
  for (int i = 0; i < kMany; ++i) {
    const auto next = i + 1 < kMany ? fmt::format("\"e{}\"", i + 1) : last;
    files.push_back(
        {fmt::format("elements/e{}.toml", i), fmt::format("kind = \"stack\"\ndepends = [{}]\n", next)});
  }
  return load_texts("", std::move(files));
}

TEST(Graph, a_chain_of_100000_elements_does_not_overflow_the_stack) {
  const auto loaded = long_chain("");
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  const std::string top[] = {"e0"};
  const auto made = make_graph(loaded.project, *select_targets(loaded.project, top));
  EXPECT_EQ(made.graph.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(made.graph.name(ElementId{0}), "e99999");
}

TEST(Graph, a_ring_of_100000_elements_is_told_briefly) {
  const auto errors = errors_of(long_chain("\"e0\""));
  EXPECT_NE(errors.find("100000 elements depend on each other in a ring"), errors.npos);
  EXPECT_NE(errors.find("... 99988 more ..."), errors.npos);
  EXPECT_LT(errors.size(), 5000u);
}

}  // namespace
}  // namespace weir
