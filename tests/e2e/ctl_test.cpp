// weir ctl, the real program, with a fake run at the other end.
#include <sys/socket.h>

#include "core/control/control_socket.h"
#include "tests/e2e/project_texts.h"
#include "tests/e2e/weir_process.h"
#include "tests/support/running_control.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

class Ctl : public ::testing::Test {
 protected:
  // One run that is over; others are folders beside it.
  void SetUp() override {
    project_.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[element.a]\nkind = \"stack\"\n");
    ASSERT_EQ(weir(project_, {"-q", "build"}).exit, 0);
  }
  std::string run(int number) const {
    const auto path =
        fs::directory_iterator(project_.cache() + "/projects")->path() / "runs" / std::to_string(number);
    fs::create_directories(path);
    return path;
  }
  Finished ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), "ctl");
    return weir(project_, words);
  }

  TempProject project_;
};

TEST_F(Ctl, status_goes_to_standard_output) {
  RunningControl live(run(2));
  const auto text = ctl({"status"});
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_EQ(text.out, "run 3: running\n");
  const auto json = ctl({"status", "--json", "--run", "2"});
  EXPECT_EQ(json.exit, 0) << json.err;
  EXPECT_EQ(json.out, "{\"run\":3,\"state\":\"running\"}\n");
}

TEST_F(Ctl, orders_arrive_as_they_were_written) {
  RunningControl live(run(2));
  project_.set("WEIR_REQUESTOR=me");
  const std::vector<std::pair<std::vector<std::string>, std::string>> orders = {
      {{"cancel", "12"}, "cancel 12"},
      {{"cancel"}, "cancel"},
      {{"suspend", "base/lib"}, "suspend base/lib"},
      {{"--run", "2", "resume"}, "resume"},
      {{"submit", "a", "b/*"}, "submit me a,b/*"},
      {{"submit", "--requestor", "ci", "a"}, "submit ci a"},
      {{"set", "loads", "{\"ci\": 33.30000000000000000001,\n \"dev\": 1}"},
       R"(set loads {"ci":33.30000000000000000001,"dev":1})"},
      {{"set", "loads", "[1,2]"}, "set loads [1,2]"},
      {{"set", "rebalance-threshold", "60s"}, R"(set rebalance-threshold "60s")"},
      {{"worker", "drain", "w1"}, "worker 0 w1"},
      {{"worker", "remove", "w1"}, "worker 1 w1"},
      {{"worker", "return", "w1"}, "worker 2 w1"},
  };
  std::vector<std::string> expected;
  for (const auto& [words, call] : orders) {
    const auto done = ctl(words);
    EXPECT_EQ(done.exit, 0) << call << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_TRUE(says(done.err, "run 2: ")) << done.err;
    expected.push_back(call);
    ASSERT_EQ(live.calls(), expected);
  }
}

TEST_F(Ctl, settings_are_json_and_one_is_bare) {
  RunningControl live(run(2));
  EXPECT_EQ(ctl({"get"}).out, "{\"loads\":{\"ci\":70.10},\"rebalance-threshold\":50}\n");
  EXPECT_EQ(ctl({"get", "rebalance-threshold"}).out, "50\n");
  const auto wrong = ctl({"get", "lods"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err, "weir: run 2: there is no setting \"lods\"\n  did you mean \"loads\"?\n");
}

TEST_F(Ctl, what_is_refused_is_told_and_cannot_write_to_the_terminal) {
  RunningControl live(run(2));
  live.on_loop(
      [](FakeRun& fake) { fake.answer = fail(Reason::not_found, "no job \x1b[2J\nat all", "look\a again"); });
  const auto refused = ctl({"cancel", "12"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_EQ(refused.err, "weir: run 2: no job \\x1b[2J\nat all\n  look\\x07 again\n");
}

TEST_F(Ctl, the_newest_run_that_listens_is_meant) {
  RunningControl second(run(2)), third(run(3));
  { const auto killed = control::listen_in(run(4)); }
  EXPECT_TRUE(says(ctl({"suspend"}).err, "run 3: done"));
  EXPECT_TRUE(says(ctl({"--run", "2", "suspend"}).err, "run 2: done"));
  EXPECT_EQ(second.calls().size(), 1U);
  EXPECT_EQ(third.calls().size(), 1U);
  EXPECT_EQ(ctl({"--run", "4", "suspend"}).exit, 2);
}

TEST_F(Ctl, without_a_run_nothing_is_asked) {
  const auto none = ctl({"status"});
  EXPECT_EQ(none.exit, 2);
  EXPECT_TRUE(says(none.err, "no run of this project is under way")) << none.err;
  EXPECT_TRUE(says(ctl({"--run", "7", "status"}).err, "there is no run 7"));
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {"stauts"},
                                                                 {"cancel", ""},
                                                                 {"get", ""},
                                                                 {"worker", "drian", "w"},
                                                                 {"worker", "drain"},
                                                                 {"submit"},
                                                                 {"set", "x"},
                                                                 {"--run", "x", "status"}}) {
    const auto wrong = ctl(words);
    EXPECT_EQ(wrong.exit, 2) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_FALSE(wrong.err.empty());
  }
}

TEST_F(Ctl, a_project_that_is_broken_by_now_still_has_its_run) {
  RunningControl live(run(2));
  project_.file("weir.toml", "weir = 1\n[project]\nname = \"t\"\n[element.a]\nkind = \n");
  EXPECT_EQ(ctl({"status"}).out, "run 3: running\n");
}

TEST_F(Ctl, a_run_that_ends_before_it_answers_is_exit_4) {
  RunningControl live(run(2));
  live.on_loop([](FakeRun& fake) { fake.submit_later = true; });
  WeirProcess waiting(project_, {"ctl", "submit", "a"});
  ASSERT_TRUE(eventually([&] { return live.calls().size() == 1; }));
  live.close();
  const auto ended = waiting.wait();
  EXPECT_EQ(ended.exit, 4);
  EXPECT_EQ(ended.err, "weir: run 2: the run is over\n");
}

TEST_F(Ctl, a_run_that_is_killed_before_it_answers_is_exit_4) {
  auto listener = control::listen_in(run(2));
  ASSERT_TRUE(listener);
  WeirProcess waiting(project_, {"ctl", "status"});
  ASSERT_TRUE(eventually([&] { return UniqueFd(::accept(listener->get(), nullptr, nullptr)).get() >= 0; }));
  const auto ended = waiting.wait();
  EXPECT_EQ(ended.exit, 4);
  EXPECT_TRUE(says(ended.err, "run 2: the run went away before it answered")) << ended.err;
}

}  // namespace
}  // namespace weir::test
