#include "core/report/junit.h"

#include "core/report/xml_text.h"
#include "tests/support/junit_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/core/report/told_run.h"

namespace weir {
namespace {

TEST(XmlText, what_xml_means_is_escaped) {
  EXPECT_EQ(xml_text("<a> & \"b\" 'c' ]]>"), "&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos; ]]&gt;");
  EXPECT_EQ(xml_text("a\tb\nc\rd"), "a\tb\nc&#13;d");
  EXPECT_EQ(xml_attribute("a\tb\nc\rd"), "a&#9;b&#10;c&#13;d");
}

TEST(XmlText, what_xml_cannot_hold_is_replaced) {
  const std::string other = "\xef\xbf\xbd";
  EXPECT_EQ(xml_text(std::string("a\0b\x01\x1b\x7f", 6)), "a" + other + "b" + other + other + other);
  EXPECT_EQ(xml_text("\xff\xc3"), other + other);
  EXPECT_EQ(xml_text("\xed\xa0\x80"), other + other + other) << "half of a surrogate pair";
  EXPECT_EQ(xml_text("\xef\xbf\xbe\xef\xbf\xbf"), other + other);
  EXPECT_EQ(xml_text("\xef\xbf\xbd ü 🌊"), "\xef\xbf\xbd ü 🌊");
}

class JunitTest : public testing::Test {
 protected:
  JunitTest() : report_({{folder_.path()}, WallTime(std::chrono::seconds(1794736800))}), run_({&report_}) {}

  test::JunitFile written() {
    const auto status = report_.write_file(folder_ / "junit.xml");
    EXPECT_TRUE(status) << status.error().message;
    test::JunitFile file(folder_ / "junit.xml");
    EXPECT_EQ(file.complaint(), "") << folder_.read("junit.xml");
    return file;
  }
  // "passed", or what the case has: "failure command", "skipped why".
  static std::string result_of(const test::JunitFile& file, const std::string& element,
                               const std::string& queue = "build") {
    const auto at = "//testsuite[@name='" + queue + "']/testcase[@name='" + element + "']";
    if (file.ask("count(" + at + ")") != "1") return "none";
    if (file.ask("count(" + at + "/skipped)") == "1")
      return "skipped " + file.ask("string(" + at + "/skipped/@message)");
    for (const std::string tag : {"failure", "error"})
      if (file.ask("count(" + at + "/" + tag + ")") == "1")
        return tag + " " + file.ask("string(" + at + "/" + tag + "/@type)");
    return file.ask("string(" + at + "/properties/property[@name='cached']/@value)") == "true" ? "cached"
                                                                                               : "passed";
  }

  TemporaryFolder folder_;
  JunitReport report_;
  ToldRun run_;
};

TEST_F(JunitTest, every_result_has_its_place) {
  folder_.write("2.log", "a.c:1: error: bad ]]> <b>\nlast\n");
  run_.start("p", {"fetch", "build", "push"});
  run_.job(1, "made");
  run_.ended(1, "made");
  run_.state("made", "done");
  run_.state("made", "skip", "no remote", {}, "push");
  run_.fails(2, "broken");
  const std::pair<std::uint64_t, std::string_view> errors[] = {{3, "timeout"}, {4, "stall"}, {5, "oom"},
                                                               {6, "network"}, {7, "infra"}, {8, "lost"}};
  for (const auto& [id, failure] : errors) run_.fails(id, failure, failure);
  run_.fails(9, "source", "source", "fetch");
  run_.state("old", "skip", "cached");
  run_.state("before", "failed", "failed before with the same inputs: --retry-failed tries it again");
  run_.state("above", "blocked", "a dependency failed", "broken");
  run_.state("late", "cancelled");
  run_.state("never", "wait", "a dependency is not built yet", "late");
  run_.end("failed", 1);
  const auto file = written();
  EXPECT_EQ(result_of(file, "made"), "passed");
  EXPECT_EQ(result_of(file, "made", "push"), "none") << "a queue that had nothing to do with it";
  EXPECT_EQ(result_of(file, "broken"), "failure command");
  for (const std::string failure : {"timeout", "stall", "oom", "network", "infra", "lost"})
    EXPECT_EQ(result_of(file, failure), "error " + failure);
  EXPECT_EQ(result_of(file, "source", "fetch"), "failure source");
  EXPECT_EQ(result_of(file, "old"), "cached");
  EXPECT_EQ(file.ask("string(//testcase[@name='old']/system-out)"), "cached");
  EXPECT_EQ(result_of(file, "before"), "failure not-started");
  EXPECT_EQ(result_of(file, "above"), "skipped a dependency failed (broken)");
  EXPECT_EQ(result_of(file, "late"), "skipped cancelled");
  EXPECT_EQ(result_of(file, "never"), "skipped the run ended before it");
  EXPECT_EQ(file.ask("string(//testsuites/@tests)"), file.ask("count(//testcase)"));
  EXPECT_EQ(file.ask("string(//testsuites/@failures)"), "3");
  EXPECT_EQ(file.ask("string(//testsuites/@errors)"), "6");
  EXPECT_EQ(file.ask("string(//testsuites/@skipped)"), "3");
  EXPECT_EQ(file.ask("string(//testsuite[@name='build']/@timestamp)"), "2026-11-15T10:00:00Z");
  EXPECT_EQ(file.ask("string(//testcase[@name='made']/@time)"), "1.500");
  EXPECT_EQ(file.ask("string(//testcase[@name='made']/@classname)"), "p.build");
  EXPECT_EQ(file.ask("string(//failure[@type='command']/@message)"),
            "build broken: a command failed with exit code 2, after 1.5s (command)");
  EXPECT_NE(file.ask("string(//failure[@type='command'])").find("a.c:1: error: bad ]]> <b>\n"),
            std::string::npos);
  EXPECT_EQ(file.ask("string((//testsuite/properties/property[@name='result'])[1]/@value)"), "failed");
}

TEST_F(JunitTest, retries_are_noted_and_are_no_failures) {
  run_.start("p", {"fetch"});
  for (std::uint64_t attempt = 1; attempt <= 2; ++attempt) {
    run_.job(attempt, "app", "fetch", attempt);
    run_.ended(attempt, "app", "failed", "network", "fetch", "the line was <cut>");
    run_.tell(event::JobRetry{attempt, "app", "fetch", "network", attempt + 1, 10});
  }
  run_.job(3, "app", "fetch", 3);
  run_.ended(3, "app", "succeeded", {}, "fetch");
  run_.state("app", "done", {}, {}, "fetch");
  run_.end();
  const auto file = written();
  EXPECT_EQ(result_of(file, "app", "fetch"), "passed");
  EXPECT_EQ(file.ask("string(//testcase//property[@name='attempts']/@value)"), "3");
  EXPECT_EQ(file.ask("string(//testcase//property[@name='flaky']/@value)"), "true");
  EXPECT_EQ(file.ask("string(//testcase/system-out)"),
            "attempt 1 failed: network: the line was <cut>\nattempt 2 failed: network: the line was <cut>");
  EXPECT_EQ(file.ask("string(//testcase/@time)"), "4.500") << "what all attempts took";
}

// A pull that comes to nothing is not the element's failure: it is built instead.
TEST_F(JunitTest, a_job_whose_failure_means_nothing_is_skipped) {
  run_.start("p", {"pull", "build"});
  run_.job(1, "app", "pull");
  run_.ended(1, "app", "failed", "network", "pull");
  run_.state("app", "skip", "the remote could not be used", {}, "pull");
  run_.job(2, "app");
  run_.ended(2, "app");
  run_.state("app", "done");
  run_.end();
  const auto file = written();
  EXPECT_EQ(result_of(file, "app", "pull"), "skipped the remote could not be used");
  EXPECT_EQ(result_of(file, "app"), "passed");
}

TEST_F(JunitTest, a_run_of_one_queue_tells_of_all_that_it_was_asked_for) {
  run_.start("p", {"push"});
  run_.state("there", "skip", "the remote has it", {}, "push");
  run_.state("unbuilt", "skip", "there is no artifact", {}, "push");
  run_.end();
  const auto file = written();
  EXPECT_EQ(result_of(file, "there", "push"), "cached");
  EXPECT_EQ(result_of(file, "unbuilt", "push"), "skipped there is no artifact");
}

TEST_F(JunitTest, valid_whatever_names_and_logs_hold) {
  std::string bytes;
  for (int round = 0; round < 2; ++round)
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const std::string hostile =
      bytes + "]]>\xef\xbf\xbe\xef\xbf\xbf<!-- --><![CDATA[x]]>&nosuch;\x1b[31m\xed\xa0\x80\xf4\x90\x80\x80";
  folder_.write("1.log", hostile + "\nerror: " + hostile);
  run_.start(hostile, {"build", hostile});
  run_.fails(1, hostile);
  run_.job(2, hostile + "2", hostile);
  run_.ended(2, hostile + "2", "failed", "network", hostile, hostile);
  run_.tell(event::JobRetry{2, hostile + "2", hostile, "network", 2, 1});
  run_.job(3, hostile + "2", hostile, 2);
  run_.ended(3, hostile + "2", "succeeded", {}, hostile);
  run_.state(hostile + "2", "done", {}, {}, hostile);
  run_.state("x", "blocked", hostile, hostile);
  run_.end(hostile, 1);
  const auto file = written();
  EXPECT_EQ(file.ask("count(//testcase)"), "3");
  EXPECT_EQ(file.ask("count(//failure)"), "1");
}

TEST_F(JunitTest, a_run_that_never_ended_and_one_with_nothing_to_do) {
  EXPECT_EQ(written().ask("count(//testsuite)"), "0");
  run_.start();
  run_.job(1, "app");
  run_.state("app", "ready");
  const auto file = written();
  EXPECT_EQ(result_of(file, "app"), "skipped the run ended before it");
  EXPECT_EQ(file.ask("string(//property[@name='result']/@value)"), "unfinished");
}

TEST_F(JunitTest, the_file_is_replaced_as_a_whole_and_nothing_else_is_left) {
  folder_.write("reports/junit.xml", "old");
  std::filesystem::create_symlink("reports/junit.xml", folder_ / "link.xml");
  run_.start();
  run_.end();
  ASSERT_TRUE(report_.write_file(folder_ / "link.xml"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.xml"));
  EXPECT_EQ(test::JunitFile(folder_ / "reports/junit.xml").complaint(), "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "reports"), {}), 1);
}

TEST_F(JunitTest, a_place_where_it_cannot_be_written_is_known_before) {
  EXPECT_TRUE(check_junit_file(folder_ / "junit.xml"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "junit.xml"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_TRUE(check_junit_file("/dev/null"));
  const auto no_folder = check_junit_file(folder_ / "no/junit.xml");
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().reason, Reason::usage);
  EXPECT_NE(no_folder.error().message.find("there is no folder"), std::string::npos)
      << no_folder.error().message;
  EXPECT_FALSE(check_junit_file(folder_.path())) << "a folder";
  EXPECT_FALSE(check_junit_file("/proc/junit.xml")) << "where nothing can be made";
}

}  // namespace
}  // namespace weir
