#include "core/report/run_failures.h"

#include "core/report/failure_text.h"
#include "core/report/run_totals.h"

namespace weir {
namespace {

class Heard {
 public:
  template <class Body>
  void tell(const Body& body) {
    const Event event{++seq_, std::chrono::milliseconds(seq_), body};
    failures.on_event(event);
    totals.on_event(event);
    if (const auto* news = failures.news()) told.push_back(failure_headline(*news));
  }
  void job_failed(std::uint64_t job, std::string_view element, std::string_view failure = "command") {
    event::JobEnd end;
    end.job = job;
    end.element = element;
    end.queue = "build";
    end.result = "failed";
    end.failure.text = failure;
    end.exit = 2;
    end.seconds = 1.5;
    tell(end);
  }
  void state(std::string_view element, std::string_view status, std::string_view reason = {},
             std::string_view because = {}) {
    tell(event::ElementState{element, "build", status, {reason}, {because}, {}});
  }
  void ask(std::string_view element, std::int64_t job) {
    tell(event::RunAsk{"failure", {element}, {"build"}, job});
  }

  RunFailures failures;
  RunTotals totals;
  std::vector<std::string> told;

 private:
  std::uint64_t seq_ = 0;
};

const std::string kAppFailed = "build app: a command failed with exit code 2, after 1.5s (command)";

TEST(RunFailures, an_element_that_failed_is_told_once_with_its_command_and_what_changed) {
  Heard run;
  const std::string_view argv[] = {"make", "all"}, fine[] = {"true"}, changes[] = {"file a.c: changed"};
  run.tell(event::JobStep{4, 0, fine, 0.1, 0});
  run.tell(event::JobStep{4, 1, argv, 0.1, 2});
  run.job_failed(4, "app");
  EXPECT_TRUE(run.told.empty()) << "it may be tried again";
  run.tell(event::ElementChanges{"app", 3, changes});
  run.state("app", "failed");
  EXPECT_EQ(run.told, std::vector{kAppFailed});
  ASSERT_EQ(run.failures.all().size(), 1u);
  const auto& failure = run.failures.all().front();
  EXPECT_EQ(failure.command, (std::vector<std::string>{"make", "all"}));
  EXPECT_EQ(failure.changes, std::vector<std::string>{"file a.c: changed"});
  EXPECT_EQ(failure.changed_since, 3u);
}

TEST(RunFailures, a_job_that_is_tried_again_or_whose_queue_lets_it_pass_is_none) {
  Heard run;
  run.job_failed(1, "app", "network");
  run.tell(event::JobRetry{1, "app", "build", "network", 2, 10});
  run.job_failed(2, "lib");
  run.state("lib", "skip", "only a warning");
  run.state("app", "done");
  EXPECT_TRUE(run.told.empty());
  EXPECT_TRUE(run.failures.all().empty());
}

TEST(RunFailures, what_a_person_was_asked_about_is_not_told_again) {
  Heard run;
  run.job_failed(1, "app");
  run.ask("app", 1);
  EXPECT_EQ(run.told, std::vector{kAppFailed});
  run.state("app", "failed");
  EXPECT_EQ(run.told.size(), 1u);
  EXPECT_EQ(run.failures.all().size(), 1u);
}

TEST(RunFailures, what_was_tried_again_after_a_question_has_not_failed) {
  Heard run;
  run.job_failed(1, "lib");
  run.state("lib", "failed");
  run.job_failed(2, "app");
  run.ask("app", 2);
  run.job_failed(3, "tool");
  run.ask("tool", 3);
  run.state("app", "ready");
  ASSERT_EQ(run.failures.all().size(), 2u);
  run.state("tool", "failed");
  run.state("app", "done");
  ASSERT_EQ(run.failures.all().size(), 2u);
  EXPECT_EQ(run.failures.all()[0].element, "lib");
  EXPECT_EQ(run.failures.all()[1].element, "tool");
}

TEST(RunFailures, an_element_without_a_job_has_its_reason) {
  Heard run;
  run.state("app", "failed", "failed before with the same inputs");
  EXPECT_EQ(run.told, std::vector<std::string>{"build app: failed before with the same inputs"});
}

TEST(RunTotals, the_summary_has_each_failure_once_and_who_was_not_started_because_of_whom) {
  Heard run;
  const std::pair<std::string_view, std::int64_t> two[] = {{"process", 2}}, one[] = {{"process", 1}};
  const std::string_view queues[] = {"build"};
  run.tell(event::RunPlan{9, 0, queues, two});
  event::JobStart start;
  start.job = 1;
  start.element = "app";
  start.queue = "build";
  start.tokens = one;
  run.tell(start);
  run.job_failed(1, "app");
  run.state("app", "failed");
  for (const auto* name : {"a", "b", "c", "d", "e", "f"})
    run.state(name, "blocked", "dependency failed", "app");
  run.state("z", "cancelled");
  event::RunEnd end;
  end.result = "failed";
  end.exit = 1;
  end.built = 3;
  end.failed = 1;
  end.skipped = 7;
  end.seconds = 2;
  end.critical_path = 1.5;
  run.tell(end);
  std::string text;
  for (const auto& line : summary_lines(run.totals, run.failures)) text += line.text + "\n";
  EXPECT_EQ(text, "failed    " + kAppFailed + "\n" +
                      "not done  a, b, c, d, e and 1 more: dependency failed (app)\n"
                      "not done  z: cancelled\n"
                      "failed: 3 built, 1 failed, 7 not finished in 2.0s\n"
                      "          critical path 1.5s, 0.8 of 2 cores busy (38 %)\n");
}

}  // namespace
}  // namespace weir
