#include "core/build/environment.h"

#include <gtest/gtest.h>

#include <map>

namespace weir {
namespace {

std::map<std::string, std::string> as_map(const Environment& all) { return {all.begin(), all.end()}; }

TEST(Environment, what_weir_promises_comes_over_the_element_over_the_project_over_the_kind) {
  Project project;
  project.env = {{"A", "project"}, {"B", "project"}, {"DESTDIR", "mine"}};
  Element element;
  element.env = {{"B", "element"}};
  const Environment of_kind = {{"A", "kind"}, {"K", "kind"}};
  const auto all = as_map(element_environment(project, element, of_kind, {"/weir", "/install"}));
  EXPECT_EQ(all.at("A"), "project");
  EXPECT_EQ(all.at("B"), "element");
  EXPECT_EQ(all.at("K"), "kind");
  EXPECT_EQ(all.at("DESTDIR"), "/install");
  EXPECT_EQ(all.at("WEIR_OUT"), "/install/weir");
  EXPECT_EQ(all.at("PKG_CONFIG_PATH"), "/weir/lib/pkgconfig:/weir/share/pkgconfig");
  EXPECT_FALSE(all.contains("WEIR_JOBS")) << "it differs from run to run";
}

TEST(Environment, jobs_are_put_in_at_the_end_and_names_stay_sorted) {
  std::vector<Step> steps = {RunStep{{"make", "-j%{jobs}", "%{jobs}%{jobs}"}}};
  Environment environment = {{"A", "%{jobs}"}, {"WEIR_OUT", "x"}, {"Z", ""}};
  set_jobs(steps, environment, 12);
  EXPECT_EQ(std::get<RunStep>(steps[0]).argv, (std::vector<std::string>{"make", "-j12", "1212"}));
  EXPECT_EQ(environment, (Environment{{"A", "12"}, {"WEIR_JOBS", "12"}, {"WEIR_OUT", "x"}, {"Z", ""}}));
}

}  // namespace
}  // namespace weir
