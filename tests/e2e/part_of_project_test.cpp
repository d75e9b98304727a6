// A build of some targets holds the graph of the whole project, and nobody sees the rest of it.
#include "tests/e2e/run_facts.h"
#include "tests/e2e/weir_process.h"

namespace weir::test {
namespace {

const std::string kPartProject = R"(weir = 1
[project]
name = "t"
[element]
lib.kind = "stack"
app.kind = "stack"
app.depends = ["lib"]
other.kind = "stack"
other.depends = ["app", "lib"]
[element.broken]
kind = "import"
source = [{ kind = "local", path = "nowhere" }]
[element.unpinned]
kind = "import"
source = [{ kind = "git", url = "http://localhost/none.git", track = "main" }]
)";

std::string line_of_event(const Finished& run, const std::string& event) {
  for (const auto& line : lines_of(run.out))
    if (field(line, "ev") == event) return line;
  return {};
}

void only_lib_and_app_are_seen(const std::vector<std::string>& words) {
  TempProject project;
  project.file("weir.toml", kPartProject);
  const auto run = weir(project, words);
  ASSERT_EQ(run.exit, 0) << run.err;
  const auto plan = line_of_event(run, "run.plan");
  EXPECT_NE(plan.find("\"elements\":2,"), plan.npos) << plan;
  EXPECT_NE(plan.find("\"edges\":2,"), plan.npos) << plan;
  for (const auto& line : lines_of(run.out)) {
    const auto element = field(line, "element");
    EXPECT_TRUE(element.empty() || element == "app" || element == "lib") << line;
  }
}

TEST(PartOfProject, what_is_no_part_of_the_targets_is_neither_planned_nor_counted) {
  only_lib_and_app_are_seen({"-q", "build", "app", "--events", "-"});
}

TEST(PartOfProject, nor_is_it_tracked) {
  only_lib_and_app_are_seen({"-q", "build", "--track", "app", "--events", "-"});
}

TEST(PartOfProject, nor_checked_by_a_second_build) {
  TempProject project;
  project.file("weir.toml", kPartProject);
  const auto run = weir(project, {"build", "app", "--rebuild-check"});
  EXPECT_EQ(run.exit, 0) << run.err;
}

}  // namespace
}  // namespace weir::test
