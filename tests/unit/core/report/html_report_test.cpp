#include "core/report/html_report.h"

#include <nlohmann/json.hpp>

#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class HtmlReport : public ::testing::Test {
 protected:
  void read(const std::string& events) {
    folder_.write("events", events);
    record_ = RunRecord::read(folder_ / "events", {&failures_, &totals_});
    options_.log_directory = folder_.path();
  }
  json data() { return json::parse(report_data(record_, failures_, totals_, options_)); }
  std::string page() { return html_report(record_, failures_, totals_, options_); }

  TemporaryFolder folder_;
  RunRecord record_;
  RunFailures failures_;
  RunTotals totals_;
  HtmlOptions options_;
};

TEST_F(HtmlReport, nothing_in_the_data_looks_like_markup_and_it_means_the_same) {
  const std::string text = "</script><!-- & > \xe2\x80\xa8\xe2\x80\xa9 \xe2\x80\xa6";
  const auto safe = for_script(json(text).dump());
  for (const auto* part : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"})
    EXPECT_EQ(safe.find(part), safe.npos) << part;
  EXPECT_EQ(json::parse(safe).get<std::string>(), text);
  EXPECT_EQ(for_script("\xe2\x80"), "\xe2\x80") << "the end of what is there";
}

TEST_F(HtmlReport, the_page_holds_its_data_and_asks_for_nothing_else) {
  MadeRun run;
  run.start(5, 1)
      .job_start(0, "</script><script>alert(1)</script>")
      .at(seconds(1))
      .job_end(0, "</script><script>alert(1)</script>", 1)
      .end(1, 0, 1, {0});
  read(run.text());
  const auto text = page();
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<script"), 2u);
  EXPECT_EQ(count("</script>"), 2u);
  EXPECT_EQ(count("@DATA@") + count("@POLICY@") + count("@STYLE@") + count("@SCRIPT@"), 0u);
  EXPECT_NE(text.find("default-src 'none'; style-src 'sha256-"), text.npos);
  for (const auto* part : {"http://", "https://", "src=", "@import", "url(", "innerHTML", "eval("})
    EXPECT_EQ(count(part), 0u) << part;
}

TEST_F(HtmlReport, an_element_stands_in_each_queue_with_the_reason) {
  MadeRun run;
  run.start(5, 1)
      .tell(event::ElementState{"a", "pull", "skip", {"cached"}, {}, {}})
      .tell(event::ElementState{"a", "build", "blocked", {"a dependency failed"}, {"b"}, {}});
  read(run.text());
  const auto all = data();
  const auto word = [&](const json& place) {
    return all["words"][place.get<std::size_t>()].get<std::string>();
  };
  const auto& stands = all["elements"][0]["stands"];
  ASSERT_EQ(stands.size(), 2u);
  EXPECT_EQ(word(stands[0][0]) + " " + word(stands[0][1]) + " " + word(stands[0][2]), "pull skip cached");
  EXPECT_EQ(word(stands[1][2]) + ": " + word(stands[1][3]), "a dependency failed: b");
}

TEST_F(HtmlReport, a_run_without_an_end_counts_as_far_as_it_came) {
  MadeRun run;
  run.start(5, 3)
      .job_start(0, "a")
      .at(seconds(1))
      .job_end(0, "a", 1)
      .job_start(1, "b")
      .at(seconds(2))
      .job_end(1, "b", 1, true);
  run.tell(event::ElementState{"c", "build", "skip", {"cached"}, {}, {}})
      .tell(event::ElementState{"d", "build", "blocked", {}, {}, {}});
  read(run.text());
  options_.stand = RunStand::killed;
  const auto all = data();
  EXPECT_EQ(all["stand"], "killed");
  EXPECT_EQ(all["counts"]["built"], 1);
  EXPECT_EQ(all["counts"]["cached"], 1);
  EXPECT_EQ(all["counts"]["failed"], 1);
  EXPECT_EQ(all["counts"]["notStarted"], 1);
  EXPECT_FALSE(all.contains("result"));
}

TEST_F(HtmlReport, logs_of_jobs_that_failed_come_first_and_have_a_limit) {
  MadeRun run;
  run.start(5, 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    run.job_start(i, "e" + std::to_string(i));
    folder_.write(std::to_string(i) + ".log", std::string(99, static_cast<char>('a' + i)) + "\n");
  }
  run.job_end(0, "e0", 1).job_end(2, "e2", 1, true);
  read(run.text());
  options_.log_bytes = 80;
  options_.all_logs_bytes = 120;
  const auto logs = data()["logs"];
  ASSERT_EQ(logs.size(), 2u) << "what succeeded has none here";
  EXPECT_EQ(logs[0]["job"], 2);
  EXPECT_EQ(logs[0]["text"], std::string(79, 'c') + "\n");
  EXPECT_EQ(logs[0]["all"], false);
  EXPECT_EQ(logs[1]["job"], 1);
  EXPECT_EQ(logs[1]["text"], std::string(39, 'b') + "\n");
  EXPECT_EQ(logs[1]["bytes"], 100);
}

}  // namespace
}  // namespace weir
