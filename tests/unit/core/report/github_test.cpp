#include "core/report/github.h"

#include "core/report/error_place.h"
#include "core/report/github_summary.h"
#include "core/report/gitlab.h"
#include "core/report/markdown.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/core/report/told_run.h"

namespace weir {
namespace {

TEST(Github, messages_and_properties_are_escaped_as_the_runner_wants) {
  EXPECT_EQ(github_message("100%: a, b\r\nc %0A"), "100%25: a, b%0D%0Ac %250A");
  EXPECT_EQ(github_property("100%: a, b\r\nc"), "100%25%3A a%2C b%0D%0Ac");
  EXPECT_EQ(github_message(""), "");
}

TEST(ErrorPlace, is_what_stands_before_the_first_colons) {
  const auto text = [](std::string_view line) {
    const auto place = error_place(line);
    return place ? place->path + "|" + std::to_string(place->line) + "|" + std::to_string(place->column)
                 : "none";
  };
  EXPECT_EQ(text("src/a.c:3:5: error: x"), "src/a.c|3|5");
  EXPECT_EQ(text("a.py:12: error: x"), "a.py|12|0");
  EXPECT_EQ(text("a b.c:3:x: error"), "a b.c|3|0");
  for (const auto* line :
       {"", ":", ":3:5: x", "error: x", "make: *** [all] Error 2", "a.c:0:1: x", "a.c:3",
        "a.c:", "  a.c:3:5: x", "a.c:-3: x", "a.c:99999999999999999999: x", "https://host:80/x: error"})
    EXPECT_EQ(text(line), "none") << line;
}

TEST(Gitlab, names_of_sections_hold_what_gitlab_takes) {
  EXPECT_EQ(gitlab_section_name("a-b_c.9"), "a-b_c.9");
  EXPECT_EQ(gitlab_section_name("a b\r\x1b[0K:ü"), "a_b___0K___");
}

TEST(Markdown, text_of_others_stays_text) {
  EXPECT_EQ(markdown_text("a|b"), "a&#124;b");
  EXPECT_EQ(markdown_text("<b>&amp;"), "&#60;b&#62;&#38;amp;");
  EXPECT_EQ(markdown_text("# *x* `y` [z](u) \\"), "\\# \\*x\\* \\`y\\` \\[z\\]\\(u\\) \\\\");
  EXPECT_EQ(markdown_text("one\ntwo\x1b[31m"), "one two");
}

TEST(Markdown, a_fence_is_longer_than_any_run_of_backticks_in_the_text) {
  EXPECT_EQ(markdown_code("a"), "```text\na\n```\n");
  EXPECT_EQ(markdown_code("a\n"), "```text\na\n```\n");
  EXPECT_EQ(markdown_code("x\n````\n<b>"), "`````text\nx\n````\n<b>\n`````\n");
}

class GithubSummaryTest : public testing::Test {
 protected:
  GithubSummaryTest() : summary_(folder_ / "page.md", {folder_.path()}), run_({&summary_}) {}

  TemporaryFolder folder_;
  GithubSummary summary_;
  ToldRun run_;
};

TEST_F(GithubSummaryTest, is_appended_to_the_page_of_the_step) {
  folder_.write("page.md", "what was there\n");
  folder_.write("4.log", "starts\na.c:1: error: ```` |\nends\n");
  run_.start("p|q");
  run_.job(1, "li|b");
  run_.ended(1, "li|b");
  run_.state("li|b", "done");
  run_.fails(4, "ap|p");
  run_.state("x", "blocked", "a dependency failed", "ap|p");
  run_.end("failed", 1, {1, 4});
  EXPECT_EQ(folder_.read("page.md"),
            "what was there\n"
            "### p&#124;q: weir build app failed\n\n"
            "| | |\n| --- | ---: |\n| failed | 1 |\n| time | 2\\.0s |\n| critical path | 1\\.5s |\n| cores "
            "busy | 0 % of 2 |\n\n"
            "#### build ap&#124;p\\: a command failed with exit code 2, after 1\\.5s \\(command\\)\n\n"
            "`````text\na.c:1: error: ```` |\n`````\n\n"
            "All that it wrote:\n\n"
            "`````text\nstarts\na.c:1: error: ```` |\nends\n`````\n\n"
            "- 1 not started: a dependency failed \\(ap&#124;p\\)\n\n"
            "#### Critical path\n\n"
            "1. build li&#124;b 1.5s\n1. build ap&#124;p 1.5s\n\n");
}

TEST_F(GithubSummaryTest, stays_below_what_github_takes) {
  run_.start();
  for (std::uint64_t id = 0; id < 100; ++id) {
    std::string log;
    for (int line = 0; line < 30; ++line) log += std::string(2000, 'x') + "\n";
    folder_.write(std::to_string(id) + ".log", log);
    const auto name = "e" + std::to_string(id);
    run_.fails(id, name);
  }
  run_.end("failed", 1);
  const auto page = folder_.read("page.md");
  EXPECT_LT(page.size(), 1024u * 1024);
  EXPECT_NE(page.find("more failures: see the log"), page.npos);
}

TEST_F(GithubSummaryTest, a_page_that_cannot_be_written_ends_nothing) {
  GithubSummary nowhere(folder_ / "no/such/page.md", {folder_.path()});
  ToldRun run({&nowhere});
  run.start();
  run.end();
}

}  // namespace
}  // namespace weir
