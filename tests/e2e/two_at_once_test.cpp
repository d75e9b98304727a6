// Two weirs on one store: each element is built once, and both succeed.
#include <fstream>

#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

// The builds leave a line each in a place that both see, which a sandbox would not let them.
std::string counted(const std::string& journal) {
  std::string text = "weir = 1\n[project]\nname = \"pair\"\n[sandbox]\nroot = \"none\"\n";
  for (int i = 0; i < 12; ++i) {
    const auto name = "e" + std::to_string(i);
    text += "[element." + name + "]\nkind = \"script\"\nconfig.commands = [\"echo " + name + " >> " +
            journal + "\", \"echo " + name + " > $WEIR_OUT/" + name + "\"]\n";
    if (i > 1) text += "depends = [\"e" + std::to_string(i / 2) + "\"]\n";
  }
  return text;
}

TEST(TwoAtOnce, on_one_project_each_element_is_built_once) {
  TempProject project;
  const auto journal = project.path() + "/journal";
  project.file("weir.toml", counted(journal));
  WeirProcess one(project, {"-q", "build", "--events", "-"});
  WeirProcess two(project, {"-q", "build", "--events", "-"});
  const auto first = facts_of(one.wait());
  const auto second = facts_of(two.wait());
  EXPECT_EQ(first.finished.exit, 0) << first.finished.err;
  EXPECT_EQ(second.finished.exit, 0) << second.finished.err;
  std::ifstream file(journal);
  std::vector<std::string> built;
  for (std::string line; std::getline(file, line);) built.push_back(line);
  EXPECT_EQ(built.size(), 12u);
  std::sort(built.begin(), built.end());
  EXPECT_EQ(std::unique(built.begin(), built.end()), built.end());
  EXPECT_EQ(weir(project, {"cache", "verify"}).exit, 0);
}

TEST(TwoAtOnce, two_projects_share_one_store) {
  TempProject here, there;
  const auto text = [] {
    std::string all = "weir = 1\n[project]\nname = \"shared\"\n";
    for (int i = 0; i < 8; ++i)
      all += "[element.e" + std::to_string(i) +
             "]\nkind = \"script\"\nconfig.commands = [\"head -c 9 /dev/urandom > $WEIR_OUT/r" +
             std::to_string(i) + "\"]\n" + (i ? "depends = [\"e" + std::to_string(i / 2) + "\"]\n" : "");
    return all;
  }();
  here.file("weir.toml", text);
  there.file("weir.toml", text);
  there.use_cache(here.cache());
  WeirProcess one(here, {"-q", "build", "--events", "-"});
  WeirProcess two(there, {"-q", "build", "--events", "-"});
  const auto first = facts_of(one.wait());
  const auto second = facts_of(two.wait());
  EXPECT_EQ(first.finished.exit, 0) << first.finished.err;
  EXPECT_EQ(second.finished.exit, 0) << second.finished.err;
  // What is random is the same for both only if it was built once.
  const auto count = [](const std::string& names) {
    return names.empty() ? 0 : std::count(names.begin(), names.end(), ' ') + 1;
  };
  EXPECT_EQ(count(first.built) + count(second.built), 8) << first.built << " and " << second.built;
}

}  // namespace
}  // namespace weir::test
