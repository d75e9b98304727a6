// A report of many jobs: how long weir takes to write it, and how long a headless Chromium takes from asking
// for the page until all of it is painted.
//   report_bench [ROUNDS] [JOBS]
// Debian's chromium and chromium-driver have to be there.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/report/html_report.h"
#include "core/report/trace.h"
#include "tests/support/browser.h"
#include "tests/support/made_run.h"
#include "tests/support/temporary_folder.h"

namespace {

using namespace weir;

double milliseconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

std::string spread(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return fmt::format("{:7.0f} ({:.0f} to {:.0f}) ms", times[times.size() / 2], times.front(), times.back());
}

double opened(const std::string& page) {
  Browser browser;
  browser.resize(1600, 1200);
  browser.open_file(page);
  std::string drawn;
  eventually([&] {
    drawn = browser.run("return document.documentElement.dataset.drawn || ''").get<std::string>();
    return !drawn.empty();
  });
  return std::stod(drawn);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::stoi(argv[1]) : 5;
  const auto jobs = static_cast<std::uint64_t>(argc > 2 ? std::stoul(argv[2]) : 10'000);
  const TemporaryFolder folder;
  folder.write("events.jsonl", MadeRun::of_jobs(jobs));
  std::string html, trace;
  std::vector<double> wrote, traced, drawn;
  for (int round = 0; round < rounds; ++round) {
    wrote.push_back(milliseconds_of([&] {
      RunFailures failures;
      RunTotals totals;
      const auto record = RunRecord::read(folder / "events.jsonl", {&failures, &totals});
      html = html_report(record, failures, totals, {folder.path()});
    }));
    traced.push_back(milliseconds_of(
        [&] { trace = trace_json(RunRecord::read(folder / "events.jsonl"), RunStand::over); }));
    folder.write("report.html", html);
    drawn.push_back(opened(folder / "report.html"));
  }
  fmt::print("{} jobs, medians of {} rounds\n", jobs, rounds);
  fmt::print("events to page    {}, {:.1f} MB\n", spread(wrote), static_cast<double>(html.size()) / 1e6);
  fmt::print("events to trace   {}, {:.1f} MB\n", spread(traced), static_cast<double>(trace.size()) / 1e6);
  fmt::print("page to painted   {}\n", spread(drawn));
  return 0;
}
