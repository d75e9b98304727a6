#include "core/report/event_file.h"

#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

std::string names(EventFile& file) {
  std::string text;
  while (const auto event = file.next()) text += (text.empty() ? "" : " ") + std::string(event->name());
  return text;
}

TEST(EventFile, goes_on_where_it_was_when_more_is_written) {
  const TemporaryFolder folder;
  EventFile file(folder / "events");
  EXPECT_EQ(names(file), "") << "it is not there yet";
  const auto text = MadeRun().start(1, 1).job_start(0, "a").job_end(0, "a", 1).text();
  const auto cut = text.find("job.end");
  folder.write("events", text.substr(0, cut));
  EXPECT_EQ(names(file), "run.start run.plan job.start job.step");
  EXPECT_EQ(names(file), "");
  std::ofstream(folder / "events", std::ios::app | std::ios::binary) << text.substr(cut);
  EXPECT_EQ(names(file), "job.end element.state");
}

TEST(EventFile, that_grew_out_of_bounds_is_not_read) {
  const TemporaryFolder folder;
  folder.write("events", MadeRun().start(1, 1).text());
  std::filesystem::resize_file(folder / "events", 1LL << 40);
  EventFile file(folder / "events");
  EXPECT_EQ(names(file), "");
}

TEST(EventFile, a_last_line_without_its_newline_counts_once) {
  const TemporaryFolder folder;
  auto text = MadeRun().start(1, 1).text();
  text.pop_back();
  folder.write("events", text);
  EventFile file(folder / "events");
  EXPECT_EQ(names(file), "run.start run.plan");
  std::ofstream(folder / "events", std::ios::app | std::ios::binary) << "\n";
  EXPECT_EQ(names(file), "");
}

TEST(EventFile, only_what_is_wanted_and_only_the_last_lines) {
  const TemporaryFolder folder;
  const auto text = MadeRun::of_jobs(50);
  folder.write("events", text);
  EventFile ends(folder / "events", {"run.start", "run.end"});
  EXPECT_EQ(names(ends), "run.start run.end");
  EventFile last(folder / "events");
  EXPECT_TRUE(
      last.skip_to_last(static_cast<std::streamoff>(text.size() - text.rfind('\n', text.size() - 2))));
  EXPECT_EQ(names(last), "run.end");
  EXPECT_FALSE(last.skip_to_last(1 << 30));
  EXPECT_TRUE(names(last).starts_with("run.start run.plan"));
}

}  // namespace
}  // namespace weir
