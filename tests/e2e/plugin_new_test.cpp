// weir plugin new: what it makes builds, passes its own tests and loads as it is, and what is there stays as
// it is.
#include <filesystem>

#include "tests/e2e/installed_weir.h"
#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

class NewPlugin : public testing::TestWithParam<const char*> {};

// A name that begins as none of C++ can, with a word that the SDK has too.
TEST_P(NewPlugin, builds_and_passes_its_tests) {
  const std::string type = GetParam();
  const auto& installed = InstalledWeir::instance();
  TempProject folder;
  const auto said = installed.run(folder.path(), {"plugin", "new", "9-json", "--type", type});
  EXPECT_NE(said.find("wrote 9-json/CMakeLists.txt\n"), std::string::npos) << said;
  const auto made = folder.path() + "/9-json";
  installed.build_plugin(made);
  EXPECT_TRUE(fs::exists(made + "/build/" + type + "-9-json.so"));
  EXPECT_NO_THROW(installed.run_program(
      made, {"ctest", "--test-dir", "build", "--output-on-failure", "--no-tests=error"}));
}
INSTANTIATE_TEST_SUITE_P(All, NewPlugin,
                         testing::Values("element", "source", "queue", "remote", "allocator", "placer"));

struct Refusal {
  std::vector<std::string> arguments;
  std::string because;
};

TEST(PluginNew, what_cannot_be_a_kind_is_refused) {
  const Refusal refusals[] = {
      {{"greet"}, "--type is missing"},
      {{"greet", "--type", "elements"}, "--type cannot be \"elements\""},
      {{"Greet", "--type", "element"}, "\"Greet\" is no name for a kind"},
      {{"a/b", "--type", "element"}, "\"a/b\" is no name for a kind"},
      {{"..", "--type", "element"}, "\"..\" is no name for a kind"},
      {{"", "--type", "element"}, "\"\" is no name for a kind"},
      {{std::string(65, 'a'), "--type", "element"}, "the name has 65 letters"},
      {{"script", "--type", "element"}, "weir has its own element script"},
      {{"push", "--type", "queue"}, "weir has its own queue push"},
  };
  for (const auto& refusal : refusals) {
    TempProject folder;
    std::vector<std::string> arguments = {"plugin", "new"};
    arguments.insert(arguments.end(), refusal.arguments.begin(), refusal.arguments.end());
    const auto done = weir(folder, arguments);
    EXPECT_EQ(done.exit, 2) << refusal.because;
    EXPECT_NE(done.err.find(refusal.because), std::string::npos) << done.err;
    fs::remove(folder.path() + "/.stderr");
    EXPECT_TRUE(fs::is_empty(folder.path())) << refusal.because;
  }
}

TEST(PluginNew, what_is_there_stays_as_it_is) {
  TempProject folder;
  folder.file("greet/notes", "mine").file("file", "mine");
  EXPECT_EQ(weir(folder, {"plugin", "new", "greet", "--type", "element"}).exit, 2);
  EXPECT_EQ(weir(folder, {"plugin", "new", "file", "--type", "element"}).exit, 2);
  EXPECT_FALSE(fs::exists(folder.path() + "/greet/CMakeLists.txt"));
  EXPECT_EQ(content(folder.path() + "/file"), "mine");
  EXPECT_EQ(weir(folder, {"-C", "greet", "plugin", "new", "greet", "--type", "element"}).exit, 0);
  EXPECT_TRUE(fs::exists(folder.path() + "/greet/greet/CMakeLists.txt"));
}

TEST(PluginNew, a_kind_of_weir_is_no_hindrance_for_another_type) {
  TempProject folder;
  EXPECT_EQ(weir(folder, {"plugin", "new", "script", "--type", "queue"}).exit, 0);
}

}  // namespace
}  // namespace weir::test
