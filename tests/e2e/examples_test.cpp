// Every example is built as it is, and what comes out is run.
#include <stdio.h>

#include <filesystem>

#include "tests/e2e/run_facts.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

// A copy, so that the tree of the sources stays as it is.
void copy_example(const std::string& name, const TempProject& to) {
  fs::copy(std::string(WEIR_SOURCE_DIR) + "/examples/" + name, to.path(), fs::copy_options::recursive);
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  char buffer[256];
  while (::fgets(buffer, sizeof buffer, pipe)) text += buffer;
  const int status = ::pclose(pipe);
  return status == 0 ? text : text + "exit " + std::to_string(status);
}

TEST(Examples, hello) {
  TempProject project;
  copy_example("hello", project);
  ASSERT_EQ(build(project).finished.exit, 0);
  ASSERT_EQ(weir(project, {"checkout", "hello", project.path() + "/out"}).exit, 0);
  EXPECT_NE(output_of(project.path() + "/out/bin/hello"), "");
}

TEST(Examples, a_stack_of_make_autotools_cmake_and_meson) {
  TempProject project;
  copy_example("stack", project);
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "all answer note player shape sound tables text tool");
  EXPECT_EQ(build(project).built, "");
  const auto out = project.path() + "/out";
  ASSERT_EQ(weir(project, {"checkout", "all", "--deps", "run", out}).exit, 0);
  EXPECT_EQ(output_of("LD_LIBRARY_PATH=" + out + "/lib " + out + "/bin/tool"), "tool: 42 42 81\n");
  EXPECT_EQ(output_of(out + "/bin/player"), "player: ping 42\n");
  EXPECT_EQ(output_of(out + "/bin/note"), "note: text 1.0\n");
  EXPECT_FALSE(fs::exists(out + "/include/squares.h"))
      << "what is needed to build only is not there at run time";

  project.file("tables/squares.sh", "echo 'static const int squares[10] = {[9] = 7};'\n");
  EXPECT_EQ(build(project).built, "tables tool") << "all that has it, and nothing else";
}

TEST(Examples, the_newest_release_of_a_git_repository_with_a_patch) {
  TempProject project;
  copy_example("git", project);
  run_program(project.path(), {"./make-remote", "now"});
  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
  ASSERT_EQ(weir(project, {"checkout", "fortune", project.path() + "/out"}).exit, 0);
  EXPECT_EQ(output_of(project.path() + "/out/bin/fortune"), "fortune 1.10: you will mend a bug\n");
}

// The root is made as the example says; a static busybox is one of the packages that tests/run installs.
TEST(Examples, a_staged_root_is_made_of_dependencies_alone) {
  TempProject project;
  copy_example("staged", project);
  const auto bin = project.path() + "/root/bin/";
  fs::create_directories(bin);
  fs::copy_file("/bin/busybox", bin + "busybox");
  for (const auto* tool : {"sh", "mkdir", "tr", "ls", "test"}) fs::create_symlink("busybox", bin + tool);
  const auto run = build(project);
  ASSERT_EQ(run.finished.exit, 0) << run.finished.out;
  const auto out = project.path() + "/out";
  ASSERT_EQ(weir(project, {"checkout", "made", out}).exit, 0);
  EXPECT_EQ(output_of("cat " + out + "/share/text"), "LOUD\n");
  EXPECT_EQ(output_of("cat " + out + "/share/root"), "bin\nbuild\ndev\ninstall\nproc\ntmp\n");
}

}  // namespace
}  // namespace weir::test
