// Jobs that move artifacts, beside jobs that do not.
#include "core/remote/transfer_executor.h"

#include <future>

#include "tests/unit/core/remote/memory_remote.h"
#include "tests/unit/core/remote/scripted_remote.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir {
namespace {

using store::test::must;

const std::string kMakeRecipe = R"({"kind":"make"})";

class Below final : public Executor {
 public:
  void start(JobId job, std::shared_ptr<const JobSpec>, JobSink&) override { started.push_back(job); }
  void suspend(JobId job) override { suspended.push_back(job); }
  void resume(JobId) override {}
  void stop(JobId job, StopReason, Duration) override { stopped.push_back(job); }
  void set_cores(JobId, std::uint32_t) override {}
  void join() override { ++joined; }
  std::vector<JobId> started, suspended, stopped;
  int joined = 0;
};

class Sink final : public JobSink {
 public:
  void started(JobId, std::int64_t) override {}
  void output(JobId, std::string_view) override {}
  void usage(JobId, const Usage&) override {}
  void cores(JobId, std::uint32_t) override {}
  void ended(JobId, JobResult result) override {
    ++ends;
    end.set_value(std::move(result));
  }
  JobResult wait() { return end.get_future().get(); }
  std::promise<JobResult> end;
  std::atomic<int> ends = 0;
};

class Transfers : public testing::Test {
 protected:
  std::unique_ptr<RemoteLine> open_line(const RemoteKind& kind) {
    RemoteLine::Options options;
    options.shown = "test:";
    options.patience.budget = std::chrono::hours(1);
    auto line = std::make_unique<RemoteLine>(
        clock_, options, std::make_unique<RemoteNotes>(folder_ / "notes", [] { return 1000; }));
    must(line->open(kind, {.url = "test:"}));
    return line;
  }
  TransferParts parts(RemoteLine& line, bool required = false) {
    return {*store_, clock_, [&line] { return std::vector<RemoteLine*>{&line}; },
            [&line, required] {
              return std::vector<PushTarget>{{&line, required}};
            },
            [this](const TransferReport& report) { reports_.push_back(report); }};
  }
  // On its way to the disk: a push waits for it.
  store::ArtifactRecord keep_artifact() {
    store::test::write_file(folder_ / "in/file", "content");
    store::ArtifactRecord record;
    record.output = must(store_->import(folder_ / "in")).tree;
    record.recipe = must(store_->put_blob(kMakeRecipe));
    record.log = must(store_->put_blob("log"));
    must(store_->commit(store::Key::of(kMakeRecipe), record));
    return record;
  }
  template <class Step>
  static std::shared_ptr<JobSpec> job_of(Step step) {
    auto spec = std::make_shared<JobSpec>();
    spec->steps = {std::move(step)};
    return spec;
  }

  TemporaryFolder folder_;
  SteadyClock clock_;
  std::unique_ptr<store::Store> store_ = must(store::Store::open(folder_ / "store"));
  Below below_;
  std::vector<TransferReport> reports_;
};

TEST_F(Transfers, other_jobs_go_on_while_one_waits_for_a_server_that_never_answers) {
  test::Script script;
  const test::ScriptedKind kind(script);
  const auto line = open_line(kind);
  Sink sink, other;
  {
    TransferExecutor executor(below_, parts(*line));
    executor.start(JobId{1}, job_of(PullStep{"{}"}), sink);  // returns, although nobody answers
    script.wait_for(1);
    executor.start(JobId{2}, job_of(RunStep{{"true"}}), other);
    EXPECT_EQ(below_.started, std::vector<JobId>{JobId{2}});
    executor.suspend(JobId{2});
    EXPECT_EQ(below_.suspended, std::vector<JobId>{JobId{2}});
    EXPECT_EQ(sink.ends, 0);
    executor.stop(JobId{1}, StopReason::cancelled, {});
    EXPECT_EQ(sink.wait().ending, Ending::cancelled);
    EXPECT_TRUE(below_.stopped.empty());
  }
  EXPECT_TRUE(line->close());
}

TEST_F(Transfers, after_join_nobody_hears_of_anything) {
  test::Script script;
  const test::ScriptedKind kind(script);
  const auto line = open_line(kind);
  Sink sink;
  TransferExecutor executor(below_, parts(*line));
  executor.start(JobId{1}, job_of(PullStep{"{}"}), sink);
  script.wait_for(1);
  executor.join();
  EXPECT_EQ(below_.joined, 1);
  EXPECT_EQ(sink.ends, 0);
  EXPECT_TRUE(line->close());
}

TEST_F(Transfers, a_suspended_job_starts_nothing_until_it_is_resumed) {
  test::Script script;
  const test::ScriptedKind kind(script);
  const auto line = open_line(kind);
  keep_artifact();
  Sink sink;
  {
    TransferExecutor executor(below_, parts(*line));
    executor.start(JobId{1}, job_of(PushStep{kMakeRecipe}), sink);
    const auto first = script.wait_for(1);
    executor.suspend(JobId{1});
    line->ended(first.operation, {RemoteOutcome::done, {}, {false}});
    EXPECT_EQ(script.submitted(), 1u);
    executor.resume(JobId{1});
    EXPECT_EQ(script.wait_for(2).action, RemoteAction::has);
  }
  EXPECT_TRUE(line->close());
}

TEST_F(Transfers, a_push_and_a_pull_tell_what_they_moved) {
  MemoryRemote remote;
  const auto line = open_line(remote);
  const auto record = keep_artifact();
  TransferExecutor executor(below_, parts(*line, true));
  Sink pushed, again, pulled, missed;
  executor.start(JobId{1}, job_of(PushStep{kMakeRecipe}), pushed);
  EXPECT_EQ(pushed.wait().outputs, std::vector<std::string>{std::string(push_end::kPushed)});
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_.front().moved.blobs, 5u);  // file, recipe, log, tree, record
  executor.start(JobId{2}, job_of(PushStep{kMakeRecipe}), again);
  const auto had = again.wait();
  EXPECT_EQ(had.ending, Ending::skipped);
  EXPECT_EQ(had.outputs, std::vector<std::string>{std::string(push_end::kHadIt)});
  executor.start(JobId{3}, job_of(PullStep{kMakeRecipe}), pulled);
  EXPECT_EQ(pulled.wait().outputs.at(0), record.output.text());
  executor.start(JobId{4}, job_of(PullStep{R"({"kind":"cmake"})"}), missed);
  const auto miss = missed.wait();
  EXPECT_EQ(miss.ending, Ending::skipped);
  EXPECT_EQ(miss.failure, Failure::source);
  remote.state.refused = {"put"};
  remote.state.blobs.clear();
  remote.state.records.clear();
  Sink refused;
  executor.start(JobId{5}, job_of(PushStep{kMakeRecipe}), refused);
  const auto failed = refused.wait();
  EXPECT_EQ(failed.ending, Ending::failed);
  EXPECT_EQ(failed.failure, Failure::infra) << "a refusal is an answer: another attempt ends the same way";
}

}  // namespace
}  // namespace weir
