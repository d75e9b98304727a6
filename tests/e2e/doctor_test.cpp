// weir doctor, on this machine and on one that lacks things.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/e2e/project_texts.h"
#include "tests/e2e/search_path.h"
#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

// "wrong    bubblewrap       ..." up to the end of the line; empty if there is none.
std::string finding(const std::string& out, const std::string& name) {
  for (std::size_t from = 0; from < out.size();) {
    const auto end = std::min(out.find('\n', from), out.size());
    const auto line = out.substr(from, end - from);
    if (line.size() > 9 && line.compare(9, name.size() + 1, name + " ") == 0) return line;
    from = end + 1;
  }
  return "";
}

std::string json_row(const std::string& name, const std::string& value, const std::string& origin) {
  return "{\"name\":\"" + name + "\",\"value\":\"" + value + "\",\"origin\":\"" + origin + "\"}";
}

TEST(Doctor, shows_each_setting_with_where_it_came_from) {
  TempProject project;
  project.file(
      "weir.toml",
      "weir = 1\n[project]\nname = \"t\"\n[on-error]\npolicy = \"continue\"\n[resources]\nlicense = 2\n");
  project.file(".config/weir/config.toml", "[cache]\nquota = \"20G\"\n");
  const auto result = weir(project, {"doctor", "--json"});
  const auto user_file = project.path() + "/.config/weir/config.toml";
  for (const auto& row : {json_row("cache.dir", project.cache(), "environment (WEIR_CACHE_DIR)"),
                          json_row("cache.quota", "20.0 GiB", "user (" + user_file + ":2:9)"),
                          json_row("on-error", "continue", "project (weir.toml:5:10)"),
                          json_row("resources.license", "2", "project (weir.toml:7:11)"),
                          json_row("sandbox", "host", "built in")})
    EXPECT_TRUE(says(result.out, row)) << row << "\n" << result.out;
  EXPECT_EQ(result.out.rfind(R"({"v":1,"ok":)", 0), 0u) << result.out;
}

TEST(Doctor, a_machine_that_can_build_is_fit) {
  TempProject project;
  project.file("weir.toml", "weir = 1\n[element.a]\nkind = \"script\"\nconfig.commands = [\"true\"]\n");
  const auto built = weir(project, {"build"});
  const auto result = weir(project, {"doctor"});
  EXPECT_EQ(result.exit == 0, built.exit == 0) << result.out << built.err;
  EXPECT_EQ(finding(result.out, "bubblewrap").rfind(built.exit == 0 ? "ok" : "wrong", 0), 0u) << result.out;
  EXPECT_EQ(finding(result.out, "weir-init").rfind("ok", 0), 0u) << result.out;
  EXPECT_EQ(finding(result.out, "cache").rfind("ok", 0), 0u) << result.out;
  EXPECT_EQ(result.err, "");
}

TEST(Doctor, works_outside_of_a_project_and_leaves_nothing_behind) {
  TempProject project;
  const auto result = weir(project, {"doctor"});
  EXPECT_TRUE(says(finding(result.out, "project"), "there is none")) << result.out;
  EXPECT_FALSE(std::filesystem::exists(project.cache()));
}

TEST(Doctor, errors_of_the_project_are_findings) {
  TempProject project;
  project.file("weir.toml", "weir = 1\n[element.a]\nkind = \"script\"\ndependz = []\n");
  const auto result = weir(project, {"doctor"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(says(finding(result.out, "project"), "weir.toml:4:1")) << result.out;
  EXPECT_TRUE(says(result.out, "did you mean \"depends\"?")) << result.out;
  EXPECT_NE(finding(result.out, "bubblewrap"), "");
}

TEST(Doctor, errors_of_the_settings_are_findings) {
  TempProject project;
  project.file(".config/weir/config.toml", "[cache]\nquota = \"much\"\n");
  const auto result = weir(project, {"doctor"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(says(finding(result.out, "settings"), "config.toml:2:9")) << result.out;
}

TEST(Doctor, without_programs_bubblewrap_is_wrong_and_git_a_warning) {
  TempProject project;
  const SearchPath path(project.path());
  const auto result = weir(project, {"doctor"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(finding(result.out, "bubblewrap").rfind("wrong", 0), 0u) << result.out;
  EXPECT_TRUE(says(result.out, "install the package bubblewrap")) << result.out;
  EXPECT_EQ(finding(result.out, "git").rfind("warning", 0), 0u) << result.out;
}

TEST(Doctor, who_asks_for_no_sandbox_needs_no_bubblewrap) {
  TempProject project;
  project.file("weir.toml", "weir = 1\n[sandbox]\nroot = \"none\"\n");
  const SearchPath path(project.path());
  const auto result = weir(project, {"doctor"});
  EXPECT_EQ(result.exit, 0) << result.out;
  EXPECT_EQ(finding(result.out, "bubblewrap").rfind("warning", 0), 0u) << result.out;
}

TEST(Doctor, bubblewrap_that_cannot_run_is_wrong_with_its_own_words) {
  TempProject project;
  project.file("bwrap", "#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n");
  ::chmod((project.path() + "/bwrap").c_str(), 0755);
  const SearchPath path(project.path());
  const auto result = weir(project, {"doctor"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(finding(result.out, "bubblewrap").rfind("wrong", 0), 0u) << result.out;
  EXPECT_TRUE(says(result.out, "No permissions to create new namespace")) << result.out;
}

TEST(Doctor, a_cache_that_cannot_be_made_is_wrong) {
  TempProject project;
  project.file(".cache", "a file where a folder has to be");
  const auto result = weir(project, {"doctor"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(says(finding(result.out, "cache"), "Not a directory")) << result.out;
  EXPECT_TRUE(says(result.out, "WEIR_CACHE_DIR")) << result.out;
}

}  // namespace
}  // namespace weir::test
