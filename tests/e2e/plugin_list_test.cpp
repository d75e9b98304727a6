// weir plugin list, and which libraries a run loads.
#include <gtest/gtest.h>

#include <filesystem>

#include "plugins/sdk/include/weir/plugin.h"
#include "tests/e2e/plugin_project.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

std::string listed_line(const Finished& run, const std::string& text) {
  for (const auto& line : lines_of(run.out))
    if (line.find(text) != line.npos) return line;
  return "nothing with " + text + " in\n" + run.out + run.err;
}

TEST(PluginList, has_weirs_own_kinds) {
  TempProject nowhere;
  const auto run = weir(nowhere, {"plugin", "list"});
  EXPECT_EQ(run.exit, 0);
  const auto libraries = fs::directory_iterator(fs::path(WEIR_BINARY).parent_path() / "../lib/weir/plugins");
  EXPECT_EQ(std::ssize(lines_of(run.out)), std::distance(begin(libraries), end(libraries)) + 1)
      << "a title, and a line for each\n"
      << run.out;
  EXPECT_NE(
      listed_line(run, "element make ").find("weir 0.1.0  1." + std::to_string(WEIR_ABI_MINOR) + "  weir "),
      std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.find("cannot be used"), std::string::npos) << run.out;
}

TEST(PluginList, says_why_a_library_cannot_be_used_and_goes_on) {
  PluginProject project;
  project.set("WEIR_PLUGIN_TIMEOUT=1");
  const auto put = [&](const std::string& animal, const std::string& name,
                       const std::string& folder = "plugins") {
    fs::create_directories(project.path() + "/" + folder);
    fs::copy_file(in_zoo(animal), project.path() + "/" + folder + "/" + name);
  };
  put("good", "element-animal.so");
  put("good", "element-animal.so", "second");
  put("good", "element-make.so");
  put("good", "element-other.so");
  put("named_weir", "element-own.so");
  put("crash_in_entry", "element-crash.so");
  put("hangs_in_constructor", "element-hang.so");
  put("exits_in_constructor", "element-exit.so");
  put("needs_symbol", "element-needs.so");
  project.file("plugins/element-text.so", "no library");
  project.file("weir.toml", "weir = 1\n[plugins]\npath = [\"plugins\", \"second\"]\n");
  const auto run = weir(project, {"plugin", "list"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const std::string own = project.path() + "/plugins/";
  EXPECT_EQ(listed_line(run, own + "element-animal.so").find("cannot be used"), std::string::npos) << run.out;
  EXPECT_NE(listed_line(run, "/second/element-animal.so").find("hidden by " + own + "element-animal.so"),
            std::string::npos)
      << run.out;
  const std::pair<const char*, const char*> expected[] = {
      {"element-make.so", "call it, or a link to it, element-animal.so"},
      {"element-other.so", "call it, or a link to it, element-animal.so"},
      {"element-own.so", "only weir's own are called"},
      {"element-crash.so", "crashed (SIGSEGV)"},
      {"element-hang.so", "did not answer in 1 s"},
      {"element-exit.so", "ended the process"},
      {"element-needs.so", "undefined symbol: zoo_function_that_is_nowhere"},
      {"element-text.so", "not an ELF file"}};
  for (const auto& [file, why] : expected) {
    const auto line = listed_line(run, own + file);
    EXPECT_NE(line.find("cannot be used: "), std::string::npos) << line;
    EXPECT_NE(line.find(why), std::string::npos) << line;
  }
  EXPECT_NE(listed_line(run, "lib/weir/plugins/element-make.so").find("hidden by"), std::string::npos)
      << run.out;
}

TEST(PluginList, is_told_to_programs) {
  PluginProject project;
  project.use(in_zoo("good"));
  const auto abi = std::to_string(WEIR_ABI_MAJOR) + "." + std::to_string(WEIR_ABI_MINOR);
  const auto run = weir(project, {"plugin", "list", "--json"});
  EXPECT_NE(run.out.find("{\"type\":\"element\",\"kind\":\"animal\",\"version\":1,\"plugin\":\"zoo\","
                         "\"plugin_version\":\"1.0\",\"abi\":\"" +
                         abi + "\",\"file\":\"" + project.library() +
                         "\",\"origin\":\"project\",\"usable\":true,\"why_not\":\"\"}"),
            std::string::npos)
      << run.out;
}

TEST(PluginLoading, a_run_loads_the_libraries_of_the_kinds_that_it_uses_and_no_others) {
  TempProject project;
  project.set("WEIR_LOG=debug");
  project.file("src/f", "x");
  project.file("weir.toml",
               "weir = 1\n[element.a]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"src\"}]\n"
               "[element.b]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"src\"}]\n");
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  std::vector<std::string> loaded;
  for (const auto& line : lines_of(run.finished.err))
    if (const auto at = line.find("loaded plugin "); at != line.npos)
      loaded.push_back(fs::path(line.substr(at + 14)).filename());
  std::sort(loaded.begin(), loaded.end());
  EXPECT_EQ(loaded, (std::vector<std::string>{"element-import.so", "source-local.so"}));
}

}  // namespace
}  // namespace weir::test
