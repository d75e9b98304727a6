#include "core/report/live_display.h"

#include <sstream>

namespace weir {
namespace {

using namespace std::chrono_literals;

class Display : public testing::Test {
 protected:
  template <class Body>
  void tell(const Body& body) {
    display.on_event({++seq, clock.now() - start, body});
  }
  // As the loop does: calls it when it wants to be called, until that time.
  void run_until(Duration when) {
    while (display.next_call() && *display.next_call() <= start + when) {
      clock.advance_to(*display.next_call());
      display.call(clock.now());
      ++calls;
    }
    clock.advance_to(start + when);
  }
  void start_job(std::uint64_t job, std::string_view element) {
    event::JobStart body;
    body.job = job;
    body.element = element;
    body.queue = "build";
    tell(body);
  }
  void end_job(std::uint64_t job, std::string_view element) {
    event::JobEnd body;
    body.job = job;
    body.element = element;
    body.queue = "build";
    body.result = "succeeded";
    tell(body);
  }

  VirtualClock clock;
  Time start = clock.now();
  std::uint64_t seq = 0;
  int calls = 0;
  TerminalSize size{80, 24};
  std::vector<std::string> writes;
  LiveDisplay display{
      {[this](std::string_view text) { writes.emplace_back(text); }, [this] { return size; }}, {}, clock};
};

TEST_F(Display, the_first_frame_comes_with_the_first_event) {
  tell(event::RunStart{});
  ASSERT_EQ(writes.size(), 1u);
  EXPECT_NE(writes[0].find("[0/0] 0:00"), std::string::npos) << writes[0];
}

TEST_F(Display, draws_at_most_ten_times_a_second_whatever_happens) {
  tell(event::RunStart{});
  for (std::uint64_t job = 0; job < 10'000; ++job) {
    start_job(job, "e");
    end_job(job, "e");
    run_until(std::chrono::microseconds(100 * (job + 1)));
  }
  EXPECT_LE(writes.size(), 12u);
  std::string all;
  for (const auto& text : writes) all += text;
  run_until(2s);
  for (const auto& text : writes) all += text;
  std::size_t lines = 0;
  for (auto at = all.find("done      build e"); at != all.npos; at = all.find("done      build e", at + 1))
    ++lines;
  EXPECT_GE(lines, 10'000u) << "every line comes, with one of the drawings";
}

TEST_F(Display, without_news_only_the_clock_is_drawn_once_a_second) {
  tell(event::RunStart{});
  start_job(1, "e");
  run_until(10500ms);
  EXPECT_EQ(writes.size(), 12u) << "the first, the job, and ten seconds";
  EXPECT_LE(calls, 12);
}

TEST_F(Display, a_frame_that_is_the_same_is_not_written) {
  tell(event::RunStart{});
  run_until(500ms);
  const auto before = writes.size();
  tell(event::RemoteTransfer{});
  run_until(900ms);
  EXPECT_EQ(writes.size(), before);
}

TEST_F(Display, the_region_is_gone_while_a_person_is_asked_and_comes_back) {
  tell(event::RunStart{});
  start_job(1, "e");
  run_until(1500ms);
  const auto before = writes.size();
  tell(event::RunAsk{"interrupt", {}, {}, {}});
  ASSERT_EQ(writes.size(), before + 1);
  EXPECT_TRUE(writes.back().ends_with("\x1b[2K")) << writes.back();
  end_job(1, "e");
  EXPECT_FALSE(display.next_call());
  display.resized();
  EXPECT_EQ(writes.size(), before + 1);
  tell(event::Control{"answer", {}, {}, {"continue"}});
  EXPECT_EQ(writes.size(), before + 1) << "whoever asked may still have to end the line of the question";
  run_until(1600ms);
  ASSERT_EQ(writes.size(), before + 2);
  EXPECT_NE(writes.back().find("done      build e"), std::string::npos) << "what was held back";
  EXPECT_TRUE(display.next_call());
}

TEST_F(Display, what_a_run_took_fits_into_80_columns) {
  tell(event::RunStart{});
  event::JobStart job;
  job.element = "application";
  job.queue = "build";
  const std::pair<std::string_view, std::int64_t> tokens[] = {{"process", 1}};
  job.tokens = tokens;
  tell(job);
  event::JobEnd done;
  done.element = "application";
  done.queue = "build";
  done.result = "succeeded";
  done.seconds = 754;
  done.peak_bytes = 1'500'000'000;
  tell(done);
  event::RunEnd end;
  end.result = "succeeded";
  end.seconds = 755;
  end.critical_path = 754;
  tell(end);
  EXPECT_NE(writes.back().find("largest job 1.4 GiB (application)"), std::string::npos) << writes.back();
  std::istringstream lines(writes.back().substr(writes.back().find("succeeded: ")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 79u) << line;
}

TEST_F(Display, the_end_takes_the_region_away_and_writes_the_summary) {
  tell(event::RunStart{});
  event::RunEnd end;
  end.result = "succeeded";
  end.built = 3;
  tell(end);
  EXPECT_TRUE(writes.back().ends_with("succeeded: 3 built in 0.0s\n")) << writes.back();
  const auto before = writes.size();
  display.resized();
  display.stopped();
  display.resumed();
  EXPECT_EQ(writes.size(), before);
  EXPECT_FALSE(display.next_call());
}

TEST_F(Display, what_was_held_back_in_the_background_comes_at_the_end) {
  tell(event::RunStart{});
  start_job(1, "e");
  display.stopped();
  end_job(1, "e");
  event::RunEnd end;
  end.result = "succeeded";
  tell(end);
  EXPECT_NE(writes.back().find("done      build e"), std::string::npos) << writes.back();
  EXPECT_NE(writes.back().find("succeeded: "), std::string::npos) << writes.back();
}

TEST_F(Display, what_a_question_is_about_is_shown_before_it_also_after_the_background) {
  tell(event::RunStart{});
  start_job(1, "e");
  display.stopped();
  event::JobEnd end;
  end.job = 1;
  end.element = "e";
  end.queue = "build";
  end.result = "failed";
  tell(end);
  tell(event::RunAsk{"failure", {"e"}, {"build"}, 1});
  display.resumed();
  EXPECT_NE(writes.back().find("FAILED    build e"), std::string::npos) << writes.back();
  EXPECT_EQ(writes.back().find("[0/"), std::string::npos) << "no region beside the question";
}

// Terminals that are told to clear everything below the top left corner keep what was there as history.
TEST_F(Display, the_region_is_cleared_row_by_row) {
  tell(event::RunStart{});
  start_job(1, "e");
  run_until(200ms);
  end_job(1, "e");
  run_until(400ms);
  const auto& write = writes.back();
  const auto line = write.find("done      build e");
  ASSERT_NE(line, std::string::npos) << write;
  const auto before = write.substr(0, line);
  EXPECT_TRUE(before.starts_with("\x1b[J\r\x1b[2K\x1b[A\x1b[2K"))
      << "from the end of the last row, which is not the corner";
  EXPECT_EQ(before.find("\x1b[J", 1), std::string::npos) << before;
}

TEST_F(Display, lines_that_a_smaller_window_breaks_are_taken_away_as_well) {
  tell(event::RunStart{});
  start_job(1, "e");
  run_until(200ms);
  size = {20, 24};
  display.resized();
  std::size_t up = 0;
  for (auto at = writes.back().find("\x1b[A"); at != std::string::npos;
       at = writes.back().find("\x1b[A", at + 1))
    ++up;
  EXPECT_GT(up, 2u) << writes.back();
}

}  // namespace
}  // namespace weir
