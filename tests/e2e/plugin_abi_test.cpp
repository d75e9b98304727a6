// Plugins that were built with the frozen headers (tests/abi), with tables as they are in it, smaller and
// larger.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/project_texts.h"

namespace weir::test {
namespace {

class Abi : public testing::TestWithParam<const char*> {};

std::string library() { return std::string(WEIR_ABI_PLUGINS) + "/" + Abi::GetParam() + ".so"; }

TEST_P(Abi, plugins_of_another_size_are_used) {
  TempProject project;
  project.file("weir.toml",
               "weir = 1\n[plugins]\npath = [\"plugins\"]\n[element.app]\nkind = \"abi\"\nsource = [{kind = "
               "\"abi\", path = \"src\"}]\n");
  project.file("src/f", "content");
  std::filesystem::create_directories(project.path() + "/plugins");
  for (const auto* name : {"element-abi.so", "source-abi.so"})
    std::filesystem::copy_file(library(), project.path() + "/plugins/" + name);
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err << run.finished.out;
  EXPECT_EQ(run.built, "app");
  EXPECT_EQ(built_file(project, "f"), "content");
}

// A queue has no place in the row of this project; it answers all the same.
TEST_P(Abi, plugins_of_another_size_pass_the_check) {
  TempProject project;
  const auto run = weir(project, {"plugin", "check", library()});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("queue abi"), std::string::npos) << run.out;
}

TEST(AbiPlacement, of_revision_0_is_passed_over_and_told) {
  TempProject project;
  const auto run = weir(project, {"plugin", "check", std::string(WEIR_ABI_PLUGINS) + "/old_placement.so"});
  EXPECT_NE(run.out.find("weir.placement/0"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("this weir does not know the type"), std::string::npos) << run.out;
}

TEST(AbiPlacement, of_1_1_is_tried) {
  TempProject project;
  const auto run = weir(project, {"plugin", "check", std::string(WEIR_ABI_PLUGINS) + "/v1.1.so"});
  for (const auto* tried : {"allocator abi: days", "placer abi: days"})
    EXPECT_NE(run.out.find(tried), std::string::npos) << run.out;
}

TEST(AbiRemote, of_revision_0_is_passed_over_and_told) {
  TempProject project;
  const auto run = weir(project, {"plugin", "check", std::string(WEIR_ABI_PLUGINS) + "/old_remote.so"});
  EXPECT_NE(run.out.find("weir.remote/0"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("this weir does not know the type"), std::string::npos) << run.out;
}

TEST(AbiRemote, of_1_2_and_1_3_is_tried) {
  for (const std::string version : {"v1.2", "v1.3"}) {
    TempProject project;
    const auto run = weir(project, {"plugin", "check", WEIR_ABI_PLUGINS "/" + version + ".so"});
    for (const auto* tried : {"remote abi: open", "remote abi: close"})
      EXPECT_NE(run.out.find(tried), std::string::npos) << version << run.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Plugins, Abi,
                         testing::Values("v1.0", "v1.1", "v1.2", "v1.3", "old_placement", "old_remote",
                                         "smaller", "larger"));

}  // namespace
}  // namespace weir::test
