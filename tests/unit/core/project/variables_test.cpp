#include "core/project/variables.h"

#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

std::string description(const std::string& variables, const std::string& own, const std::string& text) {
  const auto loaded =
      load_texts("[variables]\n" + variables + "\n[element.e]\nkind = \"stack\"\nvariables = {" + own +
                 "}\ndescription = \"" + text + "\"\n");
  return loaded.ok() ? loaded.project.find("e")->description : errors_of(loaded);
}

TEST(Variables, expand_and_may_use_each_other) {
  EXPECT_EQ(description("a = \"x%{b}\"\nb = \"y\"", "", "<%{a}%{b}>"), "<xyy>");
  EXPECT_EQ(description("n = 3\nt = true", "", "%{n} %{t}"), "3 true");
}

TEST(Variables, of_an_element_change_those_of_the_project_that_use_them) {
  EXPECT_EQ(description("cflags = \"%{opt} -g\"\nopt = \"-O2\"", "opt = \"-O3\"", "%{cflags}"), "-O3 -g");
}

TEST(Variables, always_there_are_prefix_project_and_element) {
  EXPECT_EQ(description("", "", "%{prefix} %{element}"), "/weir e");
  EXPECT_EQ(description("prefix = \"/usr\"", "", "%{prefix}"), "/usr");
}

TEST(Variables, jobs_is_left_for_the_time_when_a_job_runs) {
  EXPECT_EQ(description("flag = \"-j%{jobs}\"", "", "%{flag}"), "-j%{jobs}");
  EXPECT_EQ(description("jobs = 4", "", "%{jobs}"), "4");
}

TEST(Variables, two_percent_signs_make_a_literal) {
  EXPECT_EQ(description("", "", "curl -w %%{http_code} 50% %x"), "curl -w %{http_code} 50% %x");
}

TEST(Variables, a_loop_is_told_once_with_its_ring) {
  const auto text = description("a = \"%{b}\"\nb = \"%{c}\"\nc = \"%{a}\"\nd = \"%{a}\"", "", "%{d}");
  EXPECT_NE(text.find("weir.toml:3:5: error: variables in a loop: \"a\" -> \"b\" -> \"c\" -> \"a\"\n"),
            text.npos)
      << text;
  EXPECT_EQ(text.find("errors"), text.npos) << text;
}

TEST(Variables, a_loop_through_an_override_is_told_at_the_element) {
  const auto text = description("cflags = \"%{opt}\"\nopt = \"\"", "opt = \"%{cflags}\"", "%{cflags}");
  EXPECT_NE(text.find("error: variables in a loop: \"opt\" -> \"cflags\" -> \"opt\""), text.npos) << text;
  EXPECT_EQ(text.find("errors"), text.npos) << text;
}

TEST(Variables, an_unknown_name_is_told_where_it_is_written) {
  const auto text = description("cflags = \"-O2\"", "", "x %{cflag}");
  EXPECT_NE(text.find("weir.toml:7:15: error: unknown variable \"cflag\""), text.npos) << text;
  EXPECT_NE(text.find("did you mean \"cflags\"?"), text.npos) << text;
  EXPECT_NE(description("", "", "x %{open").find("%{ without its }"), std::string::npos);
}

TEST(Variables, those_that_an_element_uses_are_known_also_through_others) {
  const auto loaded = load_texts(
      "[variables]\nopt = \"-O1\"\nflags = \"%{opt} -g\"\nunused = \"x\"\n[env]\nLEVEL = \"%{opt}\"\n"
      "[element.e]\nkind = \"stack\"\nvariables = {own = \"y\"}\ndescription = \"%{flags} %{own} %{element} "
      "%{jobs}\"\n"
      "[element.f]\nkind = \"stack\"\n");
  ASSERT_TRUE(loaded.ok()) << errors_of(loaded);
  const auto& project = loaded.project;
  EXPECT_EQ(project.find("e")->variables, (TextMap{{"flags", "%{opt} -g"}, {"opt", "-O1"}, {"own", "y"}}));
  EXPECT_EQ(project.find("f")->variables, TextMap{});
  EXPECT_EQ(variables_of(project, *project.find("f")), (TextMap{{"opt", "-O1"}}));
  EXPECT_EQ(variables_of(project, *project.find("e")).size(), 3u);
}

TEST(Variables, that_grow_without_end_are_stopped) {
  std::string text = "v0 = \"0123456789\"\n", empty = "v0 = \"\"\n";
  for (int i = 1; i < 60; ++i) {
    const auto line = "v" + std::to_string(i) + " = \"%{v" + std::to_string(i - 1) + "}%{v" +
                      std::to_string(i - 1) + "}\"\n";
    text += line;
    empty += line;
  }
  EXPECT_NE(description(text, "", "").find("uses variables more than"), std::string::npos);
  EXPECT_NE(description(empty, "", "").find("uses variables more than"), std::string::npos);
}

// Each string is within its limit: 700 times 900 kB.
TEST(Variables, that_are_used_by_many_elements_are_stopped_as_well) {
  std::string text = "[variables]\nlong = \"" + std::string(900'000, 'x') + "\"\n";
  for (int i = 0; i < 700; ++i)
    text += "[element.e" + std::to_string(i) + "]\nkind = \"stack\"\nenv.A = \"%{long}\"\n";
  const auto errors = errors_of(load_texts(text));
  EXPECT_NE(errors.find("error: with this, the strings of the project expand to more than 512 MiB"),
            errors.npos)
      << errors.substr(0, 1000);
}

}  // namespace
}  // namespace weir
