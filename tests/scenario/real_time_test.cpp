// The scheduler on the real loop: asleep when there is nothing to do, and no process left when it dies.
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "core/exec/local_executor.h"
#include "core/scheduler/asio_driver.h"
#include "resources/arenas.h"
#include "tests/scenario/world.h"
#include "tests/support/temporary_folder.h"

namespace weir::test {
namespace {

class Silent final : public Executor {
 public:
  void start(JobId job, std::shared_ptr<const JobSpec>, JobSink& hears) override {
    started.push_back(job);
    sink = &hears;
  }
  void suspend(JobId) override {}
  void resume(JobId) override {}
  void stop(JobId, StopReason, Duration) override {}
  void set_cores(JobId, std::uint32_t) override {}
  void join() override { joined = true; }
  std::vector<JobId> started;
  JobSink* sink = nullptr;
  bool joined = false;
};

struct Parts {
  Parts() {
    graph.add("a", {});
    world.facts.push_back({.present = true});
    world.names.push_back("a");
    const TokenNeed need{ledger.add("process", 1), 1, false};
    const NeedsTable needs{JobNeeds{*ledger.intern({&need, 1}), {}, {}}};
    row = *make_row(queues, {world, world, world, needs, needs, needs, needs});
  }
  Scheduler::Parts with(Executor& executor) { return {graph, row, ledger, lanes, executor, clock, events}; }

  std::vector<std::string_view> queues{"build"};
  Graph graph;
  World world;
  Ledger ledger;
  Lanes lanes;
  Row row;
  SteadyClock clock;
  Emitter events{clock};
};

TEST(RealTime, the_loop_is_asleep_while_a_job_runs_and_wakes_for_its_end) {
  Parts parts;
  Silent executor;
  boost::asio::io_context loop;
  Scheduler scheduler(parts.with(executor), {});
  AsioDriver driver(loop, scheduler);
  const ElementId wanted[] = {ElementId{0}};
  scheduler.start(wanted);
  driver.start();
  while (loop.poll() > 0) {
  }
  ASSERT_EQ(executor.started.size(), 1u);
  EXPECT_EQ(loop.poll(), 0u);  // nothing is due: it would sleep now, however long
  executor.sink->ended(executor.started[0], {});
  EXPECT_GT(loop.poll(), 0u);
  EXPECT_TRUE(scheduler.finished());
}

TEST(RealTime, destroying_a_scheduler_joins_and_gives_everything_back) {
  Parts parts;
  Silent executor;
  {
    Scheduler scheduler(parts.with(executor), {});
    const ElementId wanted[] = {ElementId{0}};
    scheduler.start(wanted);
    scheduler.step();
    EXPECT_EQ(parts.ledger.used(TokenId{0}), 1);
  }
  EXPECT_TRUE(executor.joined);
  EXPECT_TRUE(parts.ledger.idle());
}

// A world whose one job is a real process.
class RealWorld final : public Artifacts {
 public:
  Answer cached(ElementId) override { return Answer::no; }
  PlannedJob plan_build(ElementId) const override {
    auto spec = std::make_shared<JobSpec>();
    spec->label = "a/build";
    spec->steps = {RunStep{{"/bin/sh", "-c", "sleep 1000 & wait"}, "build"}};
    return spec;
  }
  Status built(ElementId, const JobResult&) override { return {}; }
};

class PidOfJob final : public Observer {
 public:
  void on_event(const Event& event) override {
    if (const auto* process = event.as<event::JobProcess>()) pid = static_cast<pid_t>(process->pid);
  }
  pid_t pid = 0;
};

TEST(RealTime, destroying_a_scheduler_leaves_no_process) {
  Parts parts;
  RealWorld real;
  const NeedsTable needs{JobNeeds{}};
  parts.row = *make_row(parts.queues, {parts.world, real, parts.world, needs, needs, needs, needs});
  PidOfJob pid;
  parts.events.add(pid);
  const TemporaryFolder folder;
  LocalExecutorOptions options;
  options.directory = [&](JobId, const JobSpec&, std::string_view) { return folder.path(); };
  options.log_directory = folder.path();
  options.init = WEIR_INIT;
  boost::asio::io_context loop;
  Arenas arenas(2);
  {
    LocalExecutor executor(loop, arenas, options);
    Scheduler scheduler(parts.with(executor), {});
    AsioDriver driver(loop, scheduler);
    const ElementId wanted[] = {ElementId{0}};
    scheduler.start(wanted);
    driver.start();
    while (pid.pid == 0) loop.run_one();
    EXPECT_EQ(::kill(pid.pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid.pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_TRUE(parts.ledger.idle());
}

}  // namespace
}  // namespace weir::test
