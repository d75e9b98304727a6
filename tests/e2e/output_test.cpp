// What weir writes, to readers that went away and to places that take nothing.
#include <sys/stat.h>

#include "tests/e2e/project_texts.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

class Output : public testing::Test {
 protected:
  Output() {
    project_.file("weir.toml", importing(R"({ kind = "local", path = "src" })")).file("src/a", "text");
  }

  // The exit code of weir with these redirections of a shell.
  std::string exit_with(const std::string& arguments, const std::string& redirections) {
    const auto command = "WEIR_CACHE_DIR=" + project_.cache() + " " WEIR_BINARY " " + arguments + " " +
                         redirections + "; echo exit $?";
    const auto said = run_program(project_.path(), {"bash", "-c", command});
    return said.substr(said.rfind("exit "));
  }

  TempProject project_;
};

TEST_F(Output, a_lost_standard_error_never_ends_a_run) {
  EXPECT_EQ(exit_with("build", "2>/dev/full"), "exit 0\n");
  EXPECT_EQ(exit_with("build --force", "2>&-"), "exit 0\n");
  EXPECT_EQ(exit_with("build nosuch", "2>&-"), "exit 2\n");
  EXPECT_EQ(exit_with("build --force", "2> >(true)"), "exit 0\n") << "a reader that went away";
}

TEST_F(Output, a_lost_standard_output_is_told_unless_its_reader_has_seen_enough) {
  EXPECT_EQ(exit_with("show --json", ">/dev/full"), "exit 4\n");
  EXPECT_EQ(exit_with("graph", ">/dev/full"), "exit 4\n");
  EXPECT_EQ(exit_with("show", "> >(true)"), "exit 0\n");
}

TEST_F(Output, an_archive_goes_into_a_link_or_a_pipe_and_replaces_neither) {
  ASSERT_EQ(build(project_).finished.exit, 0);
  project_.file("real.tar", "old");
  fs::create_symlink("real.tar", project_.path() + "/link.tar");
  ASSERT_EQ(weir(project_, {"checkout", "app", "--tar", project_.path() + "/link.tar"}).exit, 0);
  EXPECT_TRUE(fs::is_symlink(project_.path() + "/link.tar"));
  EXPECT_NE(content(project_.path() + "/real.tar"), "old");
  EXPECT_EQ(exit_with("checkout app --tar >(tar -tf - >list 2>/dev/null)", ""), "exit 0\n");
  ASSERT_EQ(::mknod((project_.path() + "/fifo").c_str(), S_IFIFO | 0600, 0), 0);
  run_program(project_.path(),
              {"bash", "-c",
               "cat fifo >copied & WEIR_CACHE_DIR=.cache " WEIR_BINARY " checkout app --tar fifo; wait"});
  EXPECT_TRUE(fs::is_fifo(project_.path() + "/fifo"));
  EXPECT_TRUE(content(project_.path() + "/copied").find("text") != std::string::npos)
      << "what is in the file";
}

// One document for a script, whatever people are told beside it.
TEST(OutputForScripts, json_says_what_became_of_a_run_and_what_is_to_be_done) {
  TempProject project;
  project.file(
      "weir.toml",
      "weir = 1\n[project]\nname = \"j\"\n[element.bad]\nkind = \"script\"\nconfig.commands = [\"exit 3\"]\n"
      "[element.app]\nkind = \"script\"\ndepends = [\"bad\"]\nconfig.commands = [\"true\"]\n");
  const auto todo = weir(project, {"build", "--dry-run", "--json"});
  EXPECT_EQ(todo.out, R"({"v":1,"project":"j","outstanding":["bad","app"]})"
                      "\n");
  const auto failed = weir(project, {"build", "--json", "--sandbox", "none"});
  EXPECT_EQ(failed.exit, 1);
  EXPECT_EQ(lines_of(failed.out).size(), 1u) << failed.out;
  EXPECT_EQ(failed.out.find(R"({"v":1,"project":"j","run":1,"result":"failed","exit":1,)"), 0u) << failed.out;
  EXPECT_NE(failed.out.find(R"("failed":[{"element":"bad","queue":"build","failure":"command","exit":3,)"),
            std::string::npos)
      << failed.out;
  EXPECT_NE(
      failed.out.find(
          R"("not_started":[{"count":1,"reason":"a dependency failed","because":"bad","elements":["app"]}]})"),
      std::string::npos)
      << failed.out;
  const auto both = weir(project, {"build", "--json", "--events", "-"});
  EXPECT_EQ(both.exit, 2);
  EXPECT_EQ(both.out, "");
}

}  // namespace
}  // namespace weir::test
