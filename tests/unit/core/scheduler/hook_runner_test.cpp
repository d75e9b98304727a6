#include "core/scheduler/hook_runner.h"

#include <future>
#include <stdexcept>

namespace weir {
namespace {

using namespace std::chrono_literals;

Event start(std::uint64_t job) {
  event::JobStart body;
  body.job = job;
  body.element = "app";
  return {job + 1, {}, body};
}

TEST(HookRunner, hears_starts_as_json_in_order) {
  std::vector<std::string> heard;
  {
    HookRunner hooks;
    hooks.on_start([&](const std::string& event) { heard.push_back(event); });
    hooks.on_event(start(1));
    hooks.on_event(start(2));
    hooks.on_event({3, {}, event::JobSuspend{1}});
  }
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_NE(heard[0].find(R"("ev":"job.start","job":1,"element":"app")"), std::string::npos) << heard[0];
  EXPECT_NE(heard[1].find(R"("job":2)"), std::string::npos);
}

TEST(HookRunner, a_hook_that_throws_hurts_nobody) {
  int others = 0;
  HookRunner::Counts counts;
  {
    HookRunner hooks;
    std::promise<void> done;
    hooks.on_start([](const std::string&) { throw std::runtime_error("boom"); });
    hooks.on_start([](const std::string&) { throw 7; });
    hooks.on_start([&](const std::string&) { ++others; });
    hooks.on_run_end([&](const std::string&) { done.set_value(); });
    hooks.on_event(start(1));
    hooks.on_event({2, {}, event::RunEnd{}});
    done.get_future().wait();
    counts = hooks.counts();
  }
  EXPECT_EQ(others, 1);
  EXPECT_EQ(counts.failed, 2u);
}

// The first hook blocks until the test lets it go: meanwhile on_event returns at once and the backlog stays
// bounded.
TEST(HookRunner, a_slow_hook_never_blocks_the_loop_and_the_backlog_is_bounded) {
  std::promise<void> entered, release;
  auto gate = release.get_future().share();
  bool first = true;
  HookRunner hooks({.backlog = 10, .patience = 0s});
  hooks.on_start([&](const std::string&) {
    if (std::exchange(first, false)) entered.set_value();
    gate.wait();
  });
  hooks.on_event(start(0));
  entered.get_future().wait();
  for (std::uint64_t i = 1; i <= 100; ++i) hooks.on_event(start(i));
  EXPECT_EQ(hooks.counts().dropped, 90u);
  release.set_value();
}

}  // namespace
}  // namespace weir
