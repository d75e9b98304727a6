// weir graph and weir runs.
#include "tests/e2e/run_facts.h"

namespace weir::test {
namespace {

class Look : public ::testing::Test {
 protected:
  Look() {
    project_.file("weir.toml", R"(weir = 1
[project]
name = "look"
[element.base]
kind = "stack"
[element.lib]
kind = "stack"
depends = ["base"]
[element.odd-name]
kind = "stack"
build-depends = ["lib"]
[element.other]
kind = "stack"
runtime-depends = ["base"]
)");
  }
  TempProject project_;
};

TEST_F(Look, graph_in_three_languages) {
  EXPECT_EQ(
      weir(project_, {"graph", "odd*"}).out,
      "digraph \"look\" {\n  rankdir = LR\n  node [shape = box]\n  \"base\"\n  \"lib\"\n  \"odd-name\"\n"
      "  \"lib\" -> \"base\"\n  \"odd-name\" -> \"lib\" [style = dashed]\n}\n");
  EXPECT_EQ(weir(project_, {"graph", "--format", "mermaid", "lib"}).out,
            "graph LR\n  e0[\"base\"]\n  e1[\"lib\"]\n  e1 --> e0\n");
  EXPECT_EQ(
      weir(project_, {"graph", "--format", "json", "other"}).out,
      R"({"v":1,"project":"look","elements":[{"name":"base","kind":"stack"},{"name":"other","kind":"stack"}],)"
      R"("edges":[{"from":"other","to":"base","type":"runtime"}]})"
      "\n");
}

TEST_F(Look, graph_of_who_uses_an_element) {
  const auto users = weir(project_, {"graph", "--reverse", "--format", "mermaid", "lib"});
  EXPECT_EQ(users.out, "graph LR\n  e1[\"lib\"]\n  e2[\"odd-name\"]\n  e2 -.-> e1\n");
  EXPECT_EQ(weir(project_, {"graph", "nobody"}).exit, 2);
  EXPECT_EQ(weir(project_, {"graph", "--format", "png"}).exit, 2);
}

TEST_F(Look, runs_newest_first) {
  EXPECT_EQ(lines_of(weir(project_, {"runs"}).out).size(), 1u) << "a heading and no run";
  build(project_, {"base"});
  build(project_, {"base", "lib"});
  const auto lines = lines_of(weir(project_, {"runs"}).out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].substr(0, 5), "    2");
  EXPECT_NE(lines[1].find("succeeded"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[1].substr(lines[1].rfind("build")), "build base lib");
  const auto json = weir(project_, {"runs", "--json", "-n", "1"}).out;
  EXPECT_NE(json.find(R"("runs":[{"run":2,)"), std::string::npos) << json;
  EXPECT_NE(
      json.find(R"("built":0,"cached":2,"pulled":0,"pushed":0,"failed":0,"args":["build","base","lib"]}]})"),
      std::string::npos)
      << json;
}

TEST_F(Look, runs_say_what_was_done_and_which_go_on_or_were_killed) {
  const auto slow = "[element.slow]\nkind = \"script\"\nconfig.commands = [\"while [ ! -e " +
                    project_.path() + "/go ]; do sleep 0.01; done\"]\n";
  project_.file("weir.toml",
                "weir = 1\n[project]\nname = \"look\"\n[element.bad]\nkind = \"script\"\nconfig.commands = "
                "[\"exit 3\"]\n" +
                    slow);
  project_.set("TZ=UTC-02:00");
  EXPECT_EQ(weir(project_, {"-q", "build", "--sandbox", "none", "bad"}).exit, 1);
  const std::vector<std::string> words = {"-q", "build", "--sandbox", "none", "--events", "-", "slow"};
  WeirProcess killed(project_, words);
  ASSERT_NE(killed.wait_for_line("job.process"), "");
  killed.signal(SIGKILL);
  killed.wait();
  WeirProcess running(project_, words);
  const auto start = field(running.wait_for_line("run.start"), "t");
  ASSERT_NE(running.wait_for_line("job.process"), "");
  const auto lines = lines_of(weir(project_, {"runs"}).out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[1].find("  running "), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("  killed "), std::string::npos) << lines[2];
  EXPECT_NE(lines[3].find("  failed        1  1 failed "), std::string::npos) << lines[3];
  // Two hours east of the time in the events.
  const auto minutes = [](const std::string& time) {
    return std::stoi(time.substr(0, 2)) * 60 + std::stoi(time.substr(3, 2));
  };
  EXPECT_EQ((minutes(lines[1].substr(18, 8)) - minutes(start.substr(11, 8)) + 24 * 60) % (24 * 60), 120)
      << lines[1] << "\n"
      << start;
  const auto json = weir(project_, {"runs", "--json"}).out;
  EXPECT_NE(json.find(R"("result":"","stand":"running","exit":0)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("result":"","stand":"killed","exit":0)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("result":"failed","stand":"over","exit":1)"), std::string::npos) << json;
  project_.file("go", "");
  EXPECT_EQ(running.wait().exit, 0);
}

}  // namespace
}  // namespace weir::test
