// weir report: the page in a real browser, and the trace before a checker of its own.
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/e2e/project_texts.h"
#include "tests/e2e/run_facts.h"
#include "tests/e2e/weir_process.h"
#include "tests/support/browser.h"
#include "tests/support/made_run.h"
#include "tests/support/run_program.h"
#include "tests/support/trace_check.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kReportHead = "weir = 1\n[project]\nname = \"pages\"\n";

class Report : public ::testing::Test {
 protected:
  int build(const std::string& elements) {
    project_.file("weir.toml", kReportHead + elements);
    return weir(project_, {"-q", "build", "--sandbox", "none", "--on-error", "continue"}).exit;
  }
  std::string run_folder(int number) const {
    const auto path =
        fs::directory_iterator(project_.cache() + "/projects")->path() / "runs" / std::to_string(number);
    fs::create_directories(path / "logs");
    return path;
  }
  // A run of these events behind those that there are.
  void add_run(int number, const std::string& events) const {
    std::ofstream(run_folder(number) + "/events.jsonl", std::ios::binary) << events;
  }
  std::string page() const { return project_.path() + "/report.html"; }
  Finished report(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"report", "--output", page()};
    words.insert(words.end(), more.begin(), more.end());
    return weir(project_, words);
  }
  TempProject project_;
};

// With a browser, which takes a second to start.
class ReportPage : public Report {
 protected:
  void open() {
    browser_.open_file(page());
    ASSERT_TRUE(eventually([&] { return !drawn().empty(); })) << browser_.console();
  }
  std::string drawn() {
    return browser_.run("return document.documentElement.dataset.drawn || ''").get<std::string>();
  }
  std::string text(const std::string& selector) {
    return browser_.run("return document.querySelector(" + json(selector).dump() + ").textContent")
        .get<std::string>();
  }
  int number(const std::string& script) { return browser_.run("return " + script).get<int>(); }
  // Pixels of the timeline, right of the names and below the scale, that are not background.
  int painted() {
    return number(
        "(() => { const c = document.getElementById('canvas'), copy = document.createElement('canvas'); "
        "copy.width = c.width; copy.height = c.height;"
        " const pen = copy.getContext('2d', { willReadFrequently: true }); pen.drawImage(c, 0, 0);"
        " const d = pen.getImageData(120, 26, c.width - 120, c.height - 26).data; let n = 0; for (let i = 3; "
        "i < d.length; i += 4) n += d[i] > 0; return n; })()");
  }
  void filter(const std::string& words) {
    browser_.run("document.getElementById('filter').value = ''");
    browser_.type("#filter", words + " ");
    ASSERT_TRUE(eventually([&] {
      return browser_.run("return document.getElementById('filter').value").get<std::string>() == words + " ";
    }));
    // The page follows with its next frame.
    browser_.run(
        "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
  }
  Browser browser_;
};

TEST_F(ReportPage, a_run_can_be_looked_at_filtered_and_zoomed) {
  ASSERT_EQ(build(script("base", "echo base") + script("lib", "sleep 0.3", "depends = [\"base\"]") +
                  script("app", "echo building app; echo 'app.c:3: error: no such thing'; exit 3",
                         "depends = [\"lib\"]") +
                  script("tool", "echo tool", "depends = [\"base\"]") +
                  script("late", "true", "depends = [\"app\"]")),
            1);
  const auto written = report();
  ASSERT_EQ(written.exit, 0) << written.err;
  EXPECT_EQ(written.out, page() + "\n");
  browser_.resize(1600, 1300);
  open();
  EXPECT_EQ(browser_.console(), "");
  EXPECT_EQ(text("h1"), "pages, run 1");
  EXPECT_EQ(text(".badge"), "failed");
  EXPECT_TRUE(says(text("#summary"), "3built") && says(text("#summary"), "1failed") &&
              says(text("#summary"), "1not finished"))
      << text("#summary");
  EXPECT_TRUE(says(text(".failure summary"), "build app: a command failed with exit code 3"))
      << text(".failure summary");
  EXPECT_TRUE(says(text(".failure .log"), "building app\napp.c:3: error")) << text(".failure .log");
  EXPECT_EQ(number("document.querySelectorAll('#path li').length"), 3);
  EXPECT_EQ(text("#path ol"), "build base" + text("#path li:nth-child(1) .time") + "build lib" +
                                  text("#path li:nth-child(2) .time") + "build app" +
                                  text("#path li:nth-child(3) .time"));
  EXPECT_EQ(text("#matches"), "4 of 4 jobs, 5 of 5 elements");
  const int all = painted();
  EXPECT_GT(all, 1000);

  filter("result:failed queue:build");
  EXPECT_EQ(text("#matches"), "1 of 4 jobs, 1 of 5 elements");
  EXPECT_EQ(number("document.querySelectorAll('#table tbody tr').length"), 1);
  EXPECT_TRUE(says(text("#table tbody"), "app"));
  const int failed = painted();
  EXPECT_LT(failed, all);
  filter("li");
  EXPECT_EQ(text("#matches"), "1 of 4 jobs, 1 of 5 elements");
  filter("nobody");
  EXPECT_TRUE(says(text("#table tbody"), "No element matches")) << text("#table tbody");
  filter("");
  EXPECT_EQ(text("#matches"), "4 of 4 jobs, 5 of 5 elements");

  const auto image = [&] {
    return browser_.run("return document.getElementById('canvas').toDataURL()").get<std::string>();
  };
  const auto whole = image();
  browser_.click("#zoom-in");
  ASSERT_TRUE(eventually([&] { return image() != whole; }));
  browser_.click("#zoom-reset");
  ASSERT_TRUE(eventually([&] { return image() == whole; }));
  browser_.click("#by-token");
  EXPECT_TRUE(eventually([&] { return image() != whole && painted() > all; }));
  browser_.click("#by-worker");

  // By keys alone: the last job in the timeline, then the one before it.
  browser_.type("#canvas", "p");
  ASSERT_TRUE(eventually([&] { return says(text("#details"), "build"); }));
  browser_.type("#canvas", "n");
  browser_.type("#table .name", "\xee\x80\x87");
  EXPECT_TRUE(says(text("#details"), "exit code 3") || says(text("#details"), "succeeded"))
      << text("#details");
  browser_.run("scrollTo(0, 0)");
  browser_.screenshot(WEIR_TEST_OUTPUT "/report.png");
  browser_.prefer_dark(true);
  browser_.screenshot(WEIR_TEST_OUTPUT "/report-dark.png");
  browser_.prefer_dark(false);
  for (const int width : {800, 1600}) {
    browser_.resize(width, 1000);
    EXPECT_TRUE(eventually([&] { return number("document.documentElement.scrollWidth - innerWidth") <= 0; }))
        << width;
  }
  EXPECT_EQ(browser_.console(), "");
}

TEST_F(ReportPage, the_mouse_shows_zooms_and_moves) {
  ASSERT_EQ(build(script("a", "true")), 0);
  MadeRun run;
  run.start(2, 2)
      .job_start(0, "early")
      .at(std::chrono::seconds(4))
      .job_end(0, "early", 4)
      .job_start(1, "late")
      .at(std::chrono::seconds(10))
      .job_end(1, "late", 6);
  add_run(2, run.end(2, 0, 10, {0, 1}).text());
  ASSERT_EQ(report().exit, 0);
  browser_.resize(1200, 1000);
  open();
  const int left = number("document.getElementById('canvas').getBoundingClientRect().left + 116");
  const int top = number("document.getElementById('canvas').getBoundingClientRect().top");
  const int width = number("document.getElementById('canvas').getBoundingClientRect().width - 124");
  // A point of the only track, or of the scale above it, by tenths of what can be seen.
  const auto at = [&](int tenths) { return Browser::Point{left + width * tenths / 10, top + 38}; };
  const auto scale = [&](int tenths) { return Browser::Point{left + width * tenths / 10, top + 10}; };
  const auto under = [&](Browser::Point point) {
    browser_.hover({point.x, top + 5});
    browser_.hover(point);
    return browser_
        .run("const t = document.getElementById('tooltip'); return t.hidden ? '' : t.firstChild.textContent")
        .get<std::string>();
  };
  const auto shows = [&](int tenths, const std::string& job) {
    return eventually([&] { return under(at(tenths)) == job; });
  };
  EXPECT_TRUE(shows(2, "build early"));
  EXPECT_TRUE(shows(6, "build late"));
  browser_.click_at(at(6));
  EXPECT_TRUE(eventually([&] { return says(text("#details h3"), "build late"); }));
  browser_.click("#details .close");
  browser_.drag(scale(1), scale(2));
  EXPECT_TRUE(shows(9, "build early")) << "from the first to the second tenth";
  browser_.click("#zoom-reset");
  EXPECT_TRUE(shows(9, "build late"));
  // A turn that comes soon after the page scrolled goes to the page.
  EXPECT_TRUE(eventually([&] {
    browser_.wheel(at(1), -200);
    return under(at(9)) == "build early";
  })) << "closer, around the place of the mouse";
  for (int turn = 0; turn < 12 && under(at(5)) != "build late"; ++turn) browser_.drag(at(9), at(0));
  EXPECT_EQ(under(at(5)), "build late");
  EXPECT_EQ(browser_.console(), "");
}

TEST_F(ReportPage, names_and_logs_are_shown_and_never_run) {
  ASSERT_EQ(build(script("a", "true")), 0);
  const std::vector<std::string> names = {R"(</script><script>window.taken=1</script>)",
                                          R"(<img src=x onerror="window.taken=2">)",
                                          "<!--<script>",
                                          "line\xe2\x80\xa8separator\xe2\x80\xa9",
                                          R"(";window.taken=3;//\)",
                                          "__proto__",
                                          "javascript:window.taken=4"};
  MadeRun run;
  run.start(2, names.size());
  const std::string log =
      "\x1b[31m</pre><script>window.taken=5</script>\x1b[0m <b>bold</b>\n\xff\xfe\n" + names[1] + "\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    run.at(std::chrono::milliseconds(10 * i)).job_start(i, names[i], names[i], names[i]);
    run.at(std::chrono::milliseconds(10 * i + 9)).job_end(i, names[i], 0.009, true, names[i]);
    std::ofstream(run_folder(2) + "/logs/" + std::to_string(i) + ".log", std::ios::binary) << log;
  }
  run.tell(event::Diagnostic{"warning", names[1]}).end(0, names.size(), 0.009, {0});
  add_run(2, run.text());
  ASSERT_EQ(report().exit, 0);
  open();
  EXPECT_EQ(browser_.console(), "");
  EXPECT_TRUE(browser_.run("return window.taken === undefined").get<bool>());
  EXPECT_EQ(number("document.querySelectorAll('img, b b, section script, iframe').length"), 0);
  EXPECT_EQ(number("document.scripts.length"), 2);
  const auto shown = text("#table tbody") + text("#failures") + text("#notes");
  for (const auto& name : names) EXPECT_TRUE(says(shown, name)) << name;
  EXPECT_TRUE(says(text(".failure .log"), "</pre><script>window.taken=5</script> <b>bold</b>\n"))
      << text(".failure .log");
  EXPECT_GT(painted(), 100);
  for (const auto& name : names) {
    filter(name.substr(0, name.find(' ')));
    EXPECT_FALSE(says(text("#matches"), "0 of 7 jobs")) << name << ": " << text("#matches");
  }
  filter("");
  browser_.type("#canvas", "nnn");
  EXPECT_TRUE(says(text("#details"), "<!--<script>")) << text("#details");
  EXPECT_EQ(browser_.console(), "");

  // Were there a way in, the page's policy would still let nothing run and nothing load.
  EXPECT_EQ(number("performance.getEntriesByType('resource').length"), 0);
  browser_.run(
      "const s = document.createElement('script'); s.textContent = 'window.taken = 6'; "
      "document.body.append(s);"
      "const i = new Image(); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i);");
  EXPECT_TRUE(browser_.run("return window.taken === undefined").get<bool>());
  EXPECT_TRUE(eventually([&] { return says(browser_.console(), "Content Security Policy"); }));
}

TEST_F(ReportPage, ten_thousand_jobs_open_at_once) {
  ASSERT_EQ(build(script("a", "true")), 0);
  add_run(2, MadeRun::of_jobs(10'000));
  ASSERT_EQ(report().exit, 0);
  browser_.resize(1600, 1200);
  open();
  EXPECT_EQ(browser_.console(), "");
  RecordProperty("drawn_ms",
                 drawn());  // docs/benchmarks.md has what it takes; how much is made of it is below
  EXPECT_EQ(text("#matches"), "10,000 of 10,000 jobs, 10,000 of 10,000 elements");
  EXPECT_LE(number("document.querySelectorAll('#table tbody tr').length"), 100) << "not all at once";
  EXPECT_LE(number("document.querySelectorAll('.failure').length"), 20);
  EXPECT_GT(painted(), 10'000);
  filter("group7/ result:failed");
  EXPECT_EQ(text("#matches"), "3 of 10,000 jobs, 3 of 10,000 elements");
  filter("");
  browser_.click("#table .more");
  EXPECT_EQ(number("document.querySelectorAll('#table tbody tr').length"), 600);
  browser_.run("document.getElementById('time').scrollIntoView()");
  browser_.click("#by-token");
  browser_.screenshot(WEIR_TEST_OUTPUT "/report-large.png");
}

TEST_F(ReportPage, a_run_that_goes_on_or_was_killed_says_so) {
  ASSERT_EQ(build(script("a", "true")), 0);
  MadeRun run;
  run.start(2, 2)
      .job_start(0, "a")
      .at(std::chrono::seconds(3))
      .job_end(0, "a", 3)
      .job_start(1, "b")
      .at(std::chrono::seconds(4));
  run.tell(event::Diagnostic{"warning", "something"});
  add_run(2, run.text() + "{\"v\":1,\"seq\":9,\"ev\":\"job.en");
  std::ofstream(run_folder(2) + "/logs/1.log") << "half of it\n";
  const auto killed = report();
  EXPECT_EQ(killed.exit, 0);
  EXPECT_TRUE(says(killed.err, "its weir was killed")) << killed.err;
  open();
  EXPECT_EQ(text(".badge"), "killed");
  EXPECT_TRUE(says(text(".banner"), "its weir was killed"));
  EXPECT_TRUE(says(text("#summary"), "1built") && says(text("#summary"), "4.0swall time"))
      << text("#summary");
  browser_.type("#canvas", "nn");
  EXPECT_TRUE(says(text("#details"), "lost") && says(text("#details"), "half of it")) << text("#details");
  EXPECT_EQ(browser_.console(), "");

  project_.file("weir.toml", kReportHead + script("a", "echo here; while [ ! -e '" + project_.path() +
                                                           "/go' ]; do sleep 0.01; done"));
  WeirProcess running(project_, {"-q", "build", "--sandbox", "none", "--events", "-"});
  ASSERT_NE(running.wait_for_line("job.process"), "");
  const auto live = report();
  EXPECT_TRUE(says(live.err, "still under way")) << live.err;
  open();
  EXPECT_EQ(text(".badge"), "running");
  project_.file("go", "");
  EXPECT_EQ(running.wait().exit, 0);
}

TEST_F(Report, the_file_is_named_after_the_run_or_is_standard_output) {
  ASSERT_EQ(build(script("a", "true")), 0);
  ASSERT_EQ(build(script("a", "echo again")), 0);
  const auto page = weir(project_, {"report", "--run", "1", "-o", "-"});
  EXPECT_EQ(page.exit, 0) << page.err;
  EXPECT_TRUE(page.out.starts_with("<!DOCTYPE html>") && says(page.out, "\"run\":1,"))
      << page.out.substr(0, 200);
  const auto trace = weir(project_, {"report", "--trace", "-o", "-"});
  EXPECT_TRUE(says(trace.out, "\"run\":2")) << trace.out.substr(0, 300);
  const auto file = weir(project_, {"report", "--trace", "--output", project_.path() + "/t.json"});
  EXPECT_EQ(file.out, project_.path() + "/t.json\n");
  EXPECT_TRUE(fs::exists(project_.path() + "/t.json"));
  EXPECT_EQ(weir(project_, {"-C", project_.path(), "-q", "report", "-o", project_.path() + "/r.html"}).out,
            "");
  const auto named =
      run_program(project_.path(), {"env", "WEIR_CACHE_DIR=" + project_.cache(), WEIR_BINARY, "report"});
  EXPECT_TRUE(says(named, "weir-report-2.html") && fs::exists(project_.path() + "/weir-report-2.html"))
      << named;
}

TEST_F(Report, bad_input_is_exit_2_with_what_to_do) {
  project_.file("weir.toml", kReportHead + script("a", "true"));
  const auto none = report();
  EXPECT_EQ(none.exit, 2);
  EXPECT_TRUE(says(none.err, "no runs yet") && says(none.err, "weir build")) << none.err;
  ASSERT_EQ(build(script("a", "true")), 0);
  const auto missing = report({"--run", "7"});
  EXPECT_EQ(missing.exit, 2);
  EXPECT_TRUE(says(missing.err, "there is no run 7") && says(missing.err, "the newest is 1")) << missing.err;
  EXPECT_FALSE(fs::exists(page()));
  const auto nowhere = weir(project_, {"report", "-o", project_.path() + "/no/such/folder/r.html"});
  EXPECT_EQ(nowhere.exit, 2);
  EXPECT_TRUE(says(nowhere.err, "/no/such/folder")) << nowhere.err;
}

class ReportTrace : public Report {
 protected:
  TraceFacts check(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"report", "--trace", "-o", "-"};
    words.insert(words.end(), more.begin(), more.end());
    const auto written = weir(project_, words);
    EXPECT_EQ(written.exit, 0) << written.err;
    auto facts = check_trace(written.out);
    for (const auto& problem : facts.problems) ADD_FAILURE() << problem;
    return facts;
  }
};

TEST_F(ReportTrace, of_a_real_run_is_whole_and_its_critical_jobs_add_up) {
  const auto go = project_.path() + "/go";
  project_.file("weir.toml",
                kReportHead + script("base", "echo base") + script("lib", "true", "depends = [\"base\"]") +
                    script("app", "exit 3", "depends = [\"lib\"]") +
                    script("tool", "until [ -e '" + go + "' ]; do sleep 0.01; done", "depends = [\"base\"]"));
  // tool begins with lib and ends after app, so it is the longer way.
  WeirProcess run(project_,
                  {"-q", "build", "--sandbox", "none", "-j2", "--on-error", "continue", "--events", "-"});
  ASSERT_NE(run.wait_for_line(R"("result":"failed")"), "");
  project_.file("go", "");
  ASSERT_EQ(run.wait().exit, 1);
  const auto facts = check();
  EXPECT_EQ(facts.jobs, 4u);
  EXPECT_GE(facts.steps, 4u);
  EXPECT_EQ(facts.failures, 1u);
  EXPECT_GT(facts.counters, 0u);
  EXPECT_EQ(facts.critical_jobs, 2u) << "base and tool";
  EXPECT_GT(facts.critical_path, 0);
  EXPECT_NEAR(facts.critical_seconds, facts.critical_path, 1e-4);
}

TEST_F(ReportTrace, of_many_jobs_and_of_a_run_without_an_end) {
  ASSERT_EQ(build(script("a", "true")), 0);
  add_run(2, MadeRun::of_jobs(2000));
  const auto facts = check();
  EXPECT_EQ(facts.jobs, 2000u);
  EXPECT_EQ(facts.workers, 4u);
  EXPECT_NEAR(facts.critical_seconds, facts.critical_path, 1e-6);
  MadeRun killed;
  killed.start(3, 2).job_start(0, "a").job_start(1, "b").at(std::chrono::seconds(1)).job_end(0, "a", 1);
  add_run(3, killed.text());
  const auto rest = check();
  EXPECT_EQ(rest.jobs, 2u);
  EXPECT_EQ(rest.stand, "killed");
}

}  // namespace
}  // namespace weir::test
