// When a remote is left alone, for how long, and what is told of it.
#include "core/remote/remote_line.h"

#include "tests/unit/core/remote/scripted_remote.h"

namespace weir::test {
namespace {

using Direction = RemoteLine::Direction;
using State = RemoteLine::State;

class RemoteLineTest : public RemoteLineFixture {
 protected:
  // One operation, without a retry.
  RemoteOutcome run(RemoteOperation operation, RemoteEnd end) {
    script.at_once = [end = std::move(end)](const auto&) { return end; };
    Exchange exchange(*line, {});
    exchange.start(1, std::move(operation));
    return exchange.next().end.outcome;
  }
  void fail_often(int times) {
    for (int i = 0; i < times; ++i) {
      clock.advance(milliseconds(60));
      EXPECT_EQ(run(get(), trouble()), RemoteOutcome::trouble);
    }
  }
};

TEST_F(RemoteLineTest, errors_again_and_again_open_the_breaker_until_it_has_cooled_down) {
  open();
  fail_often(3);
  EXPECT_TRUE(line->usable(Direction::read));
  fail_often(1);
  EXPECT_FALSE(line->usable(Direction::read));
  EXPECT_FALSE(line->usable(Direction::write));
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].state, State::resting);
  EXPECT_EQ(told()[0].reason, "trouble");
  EXPECT_EQ(run(get(), done()), RemoteOutcome::cancelled) << "nobody is let through";
  clock.advance(seconds(30));
  EXPECT_TRUE(line->usable(Direction::read));
  EXPECT_EQ(run(get(), done()), RemoteOutcome::done);
  fail_often(3);
  EXPECT_TRUE(line->usable(Direction::read)) << "what was is forgotten";
}

TEST_F(RemoteLineTest, the_first_failure_after_a_rest_is_enough) {
  open();
  fail_often(4);
  clock.advance(seconds(30));
  fail_often(1);
  EXPECT_FALSE(line->usable(Direction::read));
  EXPECT_EQ(told().size(), 2u);
  EXPECT_EQ(warnings(), 1u);
}

TEST_F(RemoteLineTest, a_success_in_between_counts) {
  open();
  for (int i = 0; i < 5; ++i) {
    fail_often(3);
    EXPECT_EQ(run(get(), i % 2 ? done() : RemoteEnd{RemoteOutcome::missing}),
              i % 2 ? RemoteOutcome::done : RemoteOutcome::missing);
  }
  EXPECT_TRUE(line->usable(Direction::read));
}

TEST_F(RemoteLineTest, many_that_fail_at_once_are_one_failure) {
  open();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(run(get(), trouble()), RemoteOutcome::trouble);
  EXPECT_TRUE(line->usable(Direction::read));
}

TEST_F(RemoteLineTest, a_server_that_wants_to_be_left_alone_for_long_is) {
  open();
  script.at_once = [](const auto&) { return trouble(seconds(60)); };
  Exchange exchange(*line, {});
  EXPECT_EQ(exchange.run(get()).outcome, RemoteOutcome::trouble);
  EXPECT_EQ(script.submitted(), 1u);
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].state, State::resting);
  clock.advance(seconds(59));
  EXPECT_FALSE(line->usable(Direction::read));
  clock.advance(seconds(1));
  EXPECT_TRUE(line->usable(Direction::read));
}

// The incident: several jobs were told at once to come back in a minute.
TEST_F(RemoteLineTest, to_be_sent_away_is_told_once) {
  open();
  Exchange one(*line, {}), other(*line, {});
  one.start(1, get());
  other.start(1, get());
  line->ended(script.wait_for(1).operation, trouble(seconds(60)));
  line->ended(script.wait_for(2).operation, trouble(seconds(60)));
  EXPECT_FALSE(one.retry(one.next()));
  EXPECT_FALSE(other.retry(other.next()));
  EXPECT_EQ(told().size(), 1u);
}

TEST_F(RemoteLineTest, who_may_not_write_may_read) {
  open();
  EXPECT_EQ(run(put(), refused()), RemoteOutcome::refused);
  EXPECT_FALSE(line->usable(Direction::write));
  EXPECT_TRUE(line->usable(Direction::read));
  EXPECT_EQ(run(get(), done()), RemoteOutcome::done);
  EXPECT_EQ(run(put(), done()), RemoteOutcome::cancelled);
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].state, State::read_only);
}

TEST_F(RemoteLineTest, who_may_not_read_is_out_and_so_is_everybody_else) {
  Job waiting(open(), get());
  script.wait_for(1);
  EXPECT_EQ(run(get(), refused()), RemoteOutcome::refused);
  EXPECT_EQ(waiting.end().outcome, RemoteOutcome::cancelled);
  EXPECT_FALSE(line->usable(Direction::read));
  EXPECT_FALSE(line->usable(Direction::write));
  EXPECT_EQ(told().size(), 1u);
  clock.advance(std::chrono::hours(10));
  EXPECT_FALSE(line->usable(Direction::read)) << "for the rest of the run";
}

TEST_F(RemoteLineTest, several_that_are_refused_are_told_once) {
  open();
  Exchange exchange(*line, {});
  for (std::size_t tag = 0; tag < 3; ++tag) exchange.start(tag, put());
  for (std::size_t number = 1; number <= 3; ++number)
    line->ended(script.wait_for(number).operation, refused());
  while (exchange.under_way() > 0) EXPECT_EQ(exchange.next().end.outcome, RemoteOutcome::refused);
  EXPECT_EQ(told().size(), 1u);
}

TEST_F(RemoteLineTest, whatever_goes_wrong_there_is_one_warning) {
  open();
  line->complain("a blob is damaged");
  line->complain("another is damaged");
  EXPECT_EQ(warnings(), 1u);
  EXPECT_EQ(run(put(), {RemoteOutcome::refused, ""}), RemoteOutcome::refused);
  fail_often(4);
  clock.advance(seconds(30));
  EXPECT_EQ(run(get(), refused()), RemoteOutcome::refused);
  line->complain("a third is damaged");
  EXPECT_EQ(warnings(), 1u);
  EXPECT_GE(told().size(), 4u) << "events tell all of it";
}

TEST_F(RemoteLineTest, a_complaint_after_it_was_given_up_is_no_second_warning) {
  open();
  EXPECT_EQ(run(put(), refused()), RemoteOutcome::refused);
  line->complain("a blob is damaged");
  EXPECT_EQ(warnings(), 1u);
}

TEST_F(RemoteLineTest, an_address_that_is_wrong_is_told_and_never_used) {
  line = std::make_unique<RemoteLine>(
      clock, options(), std::make_unique<RemoteNotes>(folder / "notes", [] { return std::int64_t{0}; }));
  EXPECT_FALSE(line->open(ScriptedKind(script), {}));
  EXPECT_FALSE(line->usable(Direction::read));
  EXPECT_EQ(run(get(), done()), RemoteOutcome::cancelled);
  EXPECT_EQ(warnings(), 1u);
}

// It waits for a second of the real time.
TEST_F(RemoteLineTest, a_line_with_something_under_way_stays_and_its_notes_are_kept) {
  script.obeys = false;
  open();
  {
    Exchange exchange(*line, {});
    exchange.start(1, get());
  }
  line->notes().set_bad("damaged");
  EXPECT_FALSE(line->close());
  EXPECT_TRUE(RemoteNotes(folder / "notes", [] { return std::int64_t{0}; }).is_bad("damaged"));
  line->ended(script.wait_for(1).operation, done());
}

}  // namespace
}  // namespace weir::test
