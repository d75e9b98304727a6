#include <filesystem>

#include "core/cli/ctl_run.h"
#include "core/cli/ctl_status.h"
#include "core/cli/text_table.h"
#include "core/control/control_socket.h"
#include "tests/support/temporary_folder.h"

namespace weir::cli {
namespace {

std::string text_of(const std::string& json) {
  const auto status = parse_json(json);
  EXPECT_TRUE(status) << json;
  return status_text(status.value_or(JsonValue{}));
}

TEST(CtlStatus, says_what_runs_where_and_with_what) {
  EXPECT_EQ(text_of(R"({"run":3,"project":"hello","pid":4711,"seconds":75.5,"state":"running",
      "queues":[{"name":"fetch","waiting":0,"ready":0,"running":1,"done":3,"skipped":10,"failed":0},
                {"name":"build","waiting":12,"ready":2,"running":1,"done":0,"skipped":0,"failed":0}],
      "tokens":[{"name":"process","capacity":4,"used":3},{"name":"memory","capacity":2147483648,"used":536870912}],
      "classes":[{"name":"ci","running":2,"waiting":14}],
      "workers":[{"name":"local","slots":4,"running":2,"state":"up"},{"name":"w1","slots":8,"running":0,"state":"draining"}],
      "jobs":[{"job":7,"element":"lib","queue":"build","worker":"local","class":"ci","requestor":"ci-1","seconds":12.34,"state":"running"},
              {"job":12,"element":"data","queue":"fetch","worker":"local","class":"ci","requestor":"ci-1","seconds":0.5,"state":"suspended"}]})"),
            R"(run 3 of hello: running, 1m15s, pid 4711
tokens   process 3/4, memory 512.0 MiB/2.0 GiB
workers  local 2/4, w1 0/8 (draining)
classes  ci 2 running 14 waiting

name   waiting  ready  running  done  skipped  failed
fetch        0      0        1     3       10       0
build       12      2        1     0        0       0

job  element  queue  worker  class  requestor   time  state
  7  lib      build  local   ci     ci-1       12.3s  running
 12  data     fetch  local   ci     ci-1        0.5s  suspended
)");
}

TEST(CtlStatus, what_is_missing_or_odd_is_left_out) {
  EXPECT_EQ(text_of(R"({"run":3})"), "run 3\n");
  EXPECT_EQ(text_of(R"({"run":3,"state":"closing","seconds":"x","jobs":{},"tokens":[],"new":[1]})"),
            "run 3: closing\n");
  EXPECT_EQ(text_of(R"({"run":3,"seconds":1e300,"jobs":[{"job":1,"element":"a","queue":[]}]})"),
            "run 3\n\njob  element\n  1  a\n");
  EXPECT_EQ(text_of("[]"), "run \n");
}

TEST(CtlStatus, names_cannot_write_to_the_terminal) {
  const auto text = text_of(R"({"run":1,"project":"a\u001b[2Jb\nc","jobs":[{"job":1,"element":"\u0007"}]})");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\a'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST(CtlStatus, a_cluster_fits_on_a_screen) {
  std::string workers, jobs;
  for (int i = 0; i < 100; ++i) {
    workers += fmt::format(R"({}{{"name":"w{}","slots":4,"running":3,"state":"{}"}})", i ? "," : "", i,
                           i ? "up" : "gone");
    jobs += fmt::format(R"({}{{"job":{},"element":"e{}"}})", i ? "," : "", i, i);
  }
  const auto text = text_of(fmt::format(R"({{"run":1,"workers":[{}],"jobs":[{}]}})", workers, jobs));
  EXPECT_NE(text.find("workers  1 gone, 99 up; 300/400 slots\n"), std::string::npos) << text;
  EXPECT_NE(text.find("and 50 more; --json has all\n"), std::string::npos) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60);
}

TEST(TextTable, leaves_out_what_nobody_has) {
  EXPECT_EQ(text_table({{"a"}, {"b"}, {"c", true}}, {{"x", "", "1"}, {"long", "", "100"}}),
            "a       c\nx       1\nlong  100\n");
  EXPECT_EQ(text_table({{"a"}}, {}), "");
}

class CtlRunTest : public testing::Test {
 protected:
  // Newest first, as list_runs gives them.
  std::vector<PastRun> runs(std::uint64_t newest) const {
    std::vector<PastRun> all;
    for (auto number = newest; number > 0; --number) {
      std::filesystem::create_directories(folder / std::to_string(number));
      all.push_back({number, folder / std::to_string(number)});
    }
    return all;
  }
  static std::string error(const Result<LiveRun>& found) {
    EXPECT_FALSE(found);
    if (found) return "found";
    EXPECT_EQ(found.error().reason, Reason::not_found);
    EXPECT_FALSE(found.error().remedy.empty());
    return found.error().message;
  }

  TemporaryFolder folder;
};

TEST_F(CtlRunTest, is_the_newest_that_listens) {
  const auto all = runs(4);
  const auto second = control::listen_in(all[2].path);
  ASSERT_TRUE(second);
  EXPECT_EQ(find_live_run(all, 0).value().number, 2U);
  const auto third = control::listen_in(all[1].path);
  ASSERT_TRUE(third);
  EXPECT_EQ(find_live_run(all, 0).value().number, 3U);
  EXPECT_EQ(find_live_run(all, 2).value().number, 2U);
}

TEST_F(CtlRunTest, a_run_that_was_killed_is_passed_over) {
  const auto all = runs(2);
  { const auto killed = control::listen_in(all[0].path); }
  const auto first = control::listen_in(all[1].path);
  ASSERT_TRUE(first);
  EXPECT_EQ(find_live_run(all, 0).value().number, 1U);
  EXPECT_EQ(error(find_live_run(all, 2)), "run 2 does not listen: it is over, or could not make its socket");
}

TEST_F(CtlRunTest, none_is_told_in_words) {
  EXPECT_EQ(error(find_live_run({}, 0)), "this project has no runs yet");
  const auto all = runs(2);
  EXPECT_EQ(error(find_live_run(all, 0)), "no run of this project is under way");
  EXPECT_EQ(error(find_live_run(all, 9)), "there is no run 9");
}

}  // namespace
}  // namespace weir::cli
