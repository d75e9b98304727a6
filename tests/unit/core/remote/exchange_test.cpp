// What a job has under way on a line, against a plugin that ends operations early, late, twice and never.
#include "core/remote/exchange.h"

#include "tests/unit/core/remote/scripted_remote.h"

namespace weir::test {
namespace {

using ExchangeTest = RemoteLineFixture;

TEST_F(ExchangeTest, an_end_from_another_thread_is_heard) {
  Job job(open(), get());
  line->ended(script.wait_for(1).operation, done());
  EXPECT_EQ(job.end().outcome, RemoteOutcome::done);
  EXPECT_EQ(script.cancelled(), 0u);
}

TEST_F(ExchangeTest, an_end_from_within_submit_is_heard) {
  script.at_once = [](const auto&) { return done(); };
  Exchange exchange(open(), {});
  EXPECT_EQ(exchange.run(get()).outcome, RemoteOutcome::done);
  for (std::size_t tag = 0; tag < 100; ++tag) exchange.start(tag, get());
  std::vector<bool> seen(100);
  while (exchange.under_way() > 0) {
    const auto event = exchange.next();
    EXPECT_TRUE(event.ended);
    seen[event.tag] = true;
  }
  EXPECT_EQ(seen, std::vector<bool>(100, true));
}

TEST_F(ExchangeTest, an_end_that_is_told_twice_is_heard_once) {
  Exchange exchange(open(), {});
  exchange.start(1, get());
  exchange.start(2, get());
  const auto first = script.wait_for(1).operation;
  line->ended(first, done());
  line->ended(first, trouble());
  line->ended(12345, done());
  EXPECT_EQ(exchange.next().tag, 1u);
  line->ended(script.wait_for(2).operation, done());
  const auto second = exchange.next();
  EXPECT_EQ(second.tag, 2u);
  EXPECT_EQ(second.end.outcome, RemoteOutcome::done);
}

TEST_F(ExchangeTest, trouble_is_tried_again_after_a_back_off) {
  Job job(open(), get());
  line->ended(script.wait_for(1).operation, trouble());
  see();
  clock.advance(milliseconds(49));
  see();
  EXPECT_EQ(script.submitted(), 1u) << "half of 100 ms is the least";
  clock.advance(milliseconds(51));
  const auto second = script.wait_for(2).operation;
  EXPECT_NE(second, 1u) << "no number is used twice";
  line->ended(second, trouble());
  see();
  clock.advance(milliseconds(99));
  see();
  EXPECT_EQ(script.submitted(), 2u) << "then it is 200 ms";
  clock.advance(milliseconds(101));
  line->ended(script.wait_for(3).operation, done());
  EXPECT_EQ(job.end().outcome, RemoteOutcome::done);
  EXPECT_TRUE(told().empty());
}

TEST_F(ExchangeTest, trouble_is_tried_again_so_many_times_and_no_more) {
  auto all = options();
  all.breaker.failures = 100;
  all.patience.budget = seconds(100);
  Job job(open(all), get());
  for (std::size_t attempt = 1; attempt <= 4; ++attempt) {
    line->ended(script.wait_for(attempt).operation, trouble());
    see();
    clock.advance(milliseconds(900));  // longer than each back-off
  }
  EXPECT_EQ(job.end().outcome, RemoteOutcome::trouble);
  EXPECT_EQ(script.submitted(), 4u);
}

TEST_F(ExchangeTest, the_server_says_when_it_is_tried_again) {
  Job job(open(), get());
  line->ended(script.wait_for(1).operation, trouble(milliseconds(700)));
  see();
  for (int i = 0; i < 6; ++i) {
    clock.advance(milliseconds(100));
    see();
  }
  EXPECT_EQ(script.submitted(), 1u);
  clock.advance(milliseconds(100));
  line->ended(script.wait_for(2).operation, done());
  EXPECT_EQ(job.end().outcome, RemoteOutcome::done);
}

TEST_F(ExchangeTest, a_stop_ends_what_is_under_way) {
  Job job(open(), get());
  script.wait_for(1);
  job.stop();
  EXPECT_EQ(job.end().outcome, RemoteOutcome::cancelled);
  EXPECT_EQ(script.cancelled(), 1u);
  EXPECT_TRUE(line->usable(RemoteLine::Direction::read)) << "it is nobody's fault";
}

TEST_F(ExchangeTest, a_stop_ends_a_back_off) {
  Job job(open(), get());
  line->ended(script.wait_for(1).operation, trouble());
  see();
  job.stop();
  EXPECT_EQ(job.end().outcome, RemoteOutcome::cancelled);
  EXPECT_EQ(script.submitted(), 1u);
}

TEST_F(ExchangeTest, what_the_plugin_does_not_end_is_left_behind_and_keeps_its_file) {
  script.obeys = false;
  auto file = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = file;
  open();
  std::uint64_t operation = 0;
  {
    Job job(*line, get(std::move(file)));
    operation = script.wait_for(1).operation;
    job.stop();
    ASSERT_TRUE(script.wait_for_cancel(1));
    see();
    EXPECT_FALSE(watched.expired());
    pass(seconds(1));
    EXPECT_EQ(job.end().outcome, RemoteOutcome::cancelled);
  }
  EXPECT_FALSE(watched.expired()) << "the plugin may still write to it";
  line->ended(operation, done());
  EXPECT_TRUE(watched.expired());
}

// It waits for a second of the real time.
TEST_F(ExchangeTest, an_exchange_that_goes_leaves_behind_what_does_not_end) {
  script.obeys = false;
  const auto file = std::make_shared<int>(7);
  open();
  {
    Exchange exchange(*line, {});
    exchange.start(1, get(file));
    exchange.start(2, get(file));
  }
  EXPECT_EQ(script.cancelled(), 2u);
  EXPECT_EQ(file.use_count(), 3);
  line->ended(script.wait_for(1).operation, done());
  line->ended(script.wait_for(2).operation, trouble());
  EXPECT_EQ(file.use_count(), 1);
}

TEST_F(ExchangeTest, an_exchange_that_goes_waits_for_what_it_cancelled) {
  const auto file = std::make_shared<int>(7);
  open();
  {
    Exchange exchange(*line, {});
    for (std::size_t tag = 0; tag < 8; ++tag) exchange.start(tag, get(file));
  }
  EXPECT_EQ(file.use_count(), 1);
  EXPECT_EQ(script.cancelled(), 8u);
}

TEST_F(ExchangeTest, jobs_share_what_a_remote_makes_use_of) {
  open(options(), 3);
  Exchange one(*line, {}), other(*line, {});
  one.start(1, get());
  one.start(2, get());
  EXPECT_TRUE(one.has_room());
  EXPECT_TRUE(other.has_room());
  other.start(1, get());
  EXPECT_FALSE(one.has_room());
  EXPECT_FALSE(other.has_room());
  line->ended(script.wait_for(1).operation, done());
  EXPECT_TRUE(other.has_room());
  Exchange third(*line, {});
  other.start(2, get());
  EXPECT_FALSE(other.has_room());
  EXPECT_TRUE(third.has_room()) << "nobody waits for the others to end";
}

TEST_F(ExchangeTest, progress_is_told_once_for_all_that_came_meanwhile) {
  Exchange exchange(open(), {});
  exchange.start(5, get());
  const auto operation = script.wait_for(1).operation;
  line->moved(operation, 100);
  line->moved(operation, 300);
  line->moved(operation, 200);
  const auto event = exchange.next();
  EXPECT_FALSE(event.ended);
  EXPECT_EQ(event.tag, 5u);
  EXPECT_EQ(event.bytes, 300u) << "it never gets less";
  line->moved(operation, 400);
  line->ended(operation, done());
  EXPECT_TRUE(exchange.next().ended) << "what came before the end is no news any more";
}

TEST_F(ExchangeTest, who_asks_in_vain_for_too_long_stops) {
  Job job(open(), get()), other(*line, get());
  script.wait_for(2);
  pass(milliseconds(1200));
  EXPECT_TRUE(line->usable(RemoteLine::Direction::read));
  pass(milliseconds(50));
  EXPECT_EQ(job.end().outcome, RemoteOutcome::cancelled);
  EXPECT_EQ(other.end().outcome, RemoteOutcome::cancelled) << "for all who wait, at once";
  EXPECT_EQ(warnings(), 1u);
  EXPECT_EQ(line->why_not(), "it does not answer in time");
  Job late(*line, get());
  EXPECT_EQ(late.end().outcome, RemoteOutcome::cancelled);
  EXPECT_EQ(script.submitted(), 2u) << "nobody asks it again";
}

TEST_F(ExchangeTest, who_trickles_gives_no_sign_of_life) {
  Job job(open(), get());
  const auto operation = script.wait_for(1).operation;
  for (std::uint64_t bytes = 1; line->usable(RemoteLine::Direction::read) && bytes < 100; ++bytes) {
    line->moved(operation, bytes);
    pass(milliseconds(100));
  }
  EXPECT_EQ(job.end().outcome, RemoteOutcome::cancelled);
  EXPECT_FALSE(line->usable(RemoteLine::Direction::read));
}

TEST_F(ExchangeTest, pieces_of_data_and_answered_names_are_signs_of_life) {
  open();
  Job job(*line, get());
  const auto operation = script.wait_for(1).operation;
  for (std::uint64_t piece = 1; piece <= 8; ++piece) {
    pass(milliseconds(200));
    line->moved(operation, piece << 14);
  }
  line->ended(operation, done());
  EXPECT_EQ(job.end().outcome, RemoteOutcome::done);
  Job question(*line, {RemoteAction::has, std::vector<RemoteName>(500)});
  const auto asked = script.wait_for(2).operation;
  for (std::uint64_t names = 1; names <= 8; ++names) {
    pass(milliseconds(200));
    line->moved(asked, names);
  }
  line->ended(asked, done());
  EXPECT_EQ(question.end().outcome, RemoteOutcome::done);
}

// The incident: weir was stopped with Ctrl-Z for a minute, and the remote was to blame.
TEST_F(ExchangeTest, a_pause_of_weir_itself_is_not_the_remotes_fault) {
  Job job(open(), get());
  const auto operation = script.wait_for(1).operation;
  see();
  clock.advance(std::chrono::minutes(1));
  see();
  line->ended(operation, done());
  EXPECT_EQ(job.end().outcome, RemoteOutcome::done);
}

// Many threads, for the sanitizers.
TEST_F(ExchangeTest, many_jobs_with_a_plugin_of_many_threads) {
  auto all = options();
  all.breaker.failures = 1'000'000;
  all.patience.budget = std::chrono::hours(1);
  all.backoff = {std::chrono::nanoseconds(1), std::chrono::nanoseconds(1)};
  std::mutex row_mutex;
  std::condition_variable more;
  std::vector<std::uint64_t> row;
  bool over = false;
  script.at_once = [&](const auto& submitted) -> std::optional<RemoteEnd> {
    if (submitted.operation % 7 == 0) return trouble();
    if (submitted.operation % 5 == 0) return done();
    const std::lock_guard lock(row_mutex);
    row.push_back(submitted.operation);
    more.notify_one();
    return std::nullopt;
  };
  open(all, 16);
  std::vector<std::jthread> plugin;
  for (int i = 0; i < 2; ++i)
    plugin.emplace_back([&] {
      std::unique_lock lock(row_mutex);
      while (more.wait(lock, [&] { return over || !row.empty(); }), !row.empty()) {
        const auto operation = row.back();
        row.pop_back();
        lock.unlock();
        line->moved(operation, 1000);
        clock.advance(std::chrono::nanoseconds(1));
        line->ended(operation, operation % 3 == 0 ? trouble() : done());
        lock.lock();
      }
    });
  {
    std::vector<std::jthread> jobs;
    for (int i = 0; i < 4; ++i)
      jobs.emplace_back([&](const std::stop_token& stop) {
        Exchange exchange(*line, stop);
        std::size_t next = 0;
        while (next < 200 || exchange.under_way() > 0) {
          while (next < 200 && exchange.has_room()) exchange.start(next++, get());
          const auto event = exchange.next();
          if (event.ended) (void)exchange.retry(event);
        }
      });
  }
  {
    const std::lock_guard lock(row_mutex);
    over = true;
    more.notify_all();
  }
}

}  // namespace
}  // namespace weir::test
