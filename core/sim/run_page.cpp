// The page of a simulated run: figures above, places over time below. One file, no scripts, nothing from
// elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/sim/run_figures.h"

namespace weir::sim {

namespace {

constexpr double kWidth = 900, kHeight = 300, kLeft = 60, kTop = 10;
// Told apart also by those who do not see red and green (Okabe and Ito); more classes begin again.
constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                    "#56b4e9", "#d55e00", "#f0e442", "#666666"};

const char* colour(std::size_t c) { return kColours[c % std::size(kColours)]; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string duration_text(double s) { return format_duration(Duration(static_cast<std::int64_t>(s * 1e9))); }

class Chart {
 public:
  Chart(const Timeline& timeline, double places, double makespan_s)
      : timeline_(timeline), places_(std::max(places, 1.0)), end_s_(std::max(makespan_s, 1e-9)) {}

  std::string draw(std::size_t classes) {
    out_ =
        fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kLeft + kWidth + 40, kTop + kHeight + 40);
    areas(classes);
    grid();
    return std::move(out_) + "</svg>\n";
  }

 private:
  double x(double s) const { return kLeft + std::min(s / end_s_, 1.0) * kWidth; }
  double y(double places) const { return kTop + kHeight * (1 - std::min(places / places_, 1.0)); }
  // The last step is only as long as the run.
  double places(std::size_t step, std::size_t c) const {
    const double begin = static_cast<double>(step) * timeline_.step_s();
    const double part = std::min(timeline_.step_s(), end_s_ - begin) / timeline_.step_s();
    return part > 0 ? timeline_.places(step, c) / part : 0;
  }

  void areas(std::size_t classes) {
    std::vector<double> below(timeline_.steps(), 0);
    for (std::size_t c = 0; c < classes; ++c) {
      std::string there, back;
      for (std::size_t i = 0; i < below.size(); ++i) {
        const double from = x(static_cast<double>(i) * timeline_.step_s()),
                     to = x(static_cast<double>(i + 1) * timeline_.step_s());
        const double low = y(below[i]);
        below[i] += places(i, c);
        there += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", from, y(below[i]), to, y(below[i]));
        back = fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", to, low, from, low) + back;
      }
      out_ += fmt::format("<polygon fill=\"{}\" points=\"{}{}\"/>\n", colour(c), there, back);
    }
  }

  void grid() {
    for (int percent = 0; percent <= 100; percent += 25) {
      const double at = y(places_ * percent / 100);
      out_ += fmt::format(
          "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
          "text-anchor=\"end\">{5} %</text>\n",
          kLeft, kLeft + kWidth, at, kLeft - 6, at + 4, percent);
    }
    for (int i = 0; i <= 5; ++i)
      out_ += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(end_s_ * i / 5),
                          kTop + kHeight + 20, duration_text(end_s_ * i / 5));
  }

  const Timeline& timeline_;
  const double places_, end_s_;
  std::string out_;
};

std::string row(std::string_view name, const std::string& value, std::string_view meaning) {
  return fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", name, value, meaning);
}

std::string figure_table(const RunFigures& f) {
  std::string out = "<table>\n";
  out += row("jobs", std::to_string(f.jobs), fmt::format("on {} places", f.places));
  out += row("makespan", duration_text(f.makespan_s),
             fmt::format("no schedule takes less than {}", duration_text(f.bound_s)));
  out += row("utilisation", fmt::format("{:.1f} %", 100 * f.utilisation),
             "of the places over the whole run, moving of artifacts included");
  out += row("inputs at hand", fmt::format("{:.1f} %", 100 * f.cache_hit),
             "of what jobs need was on their worker already");
  out += row("moved", format_bytes(static_cast<std::uint64_t>(std::min(f.bytes_moved, 1e19))), "to workers");
  out += row("share error", fmt::format("{:.2f} %", 100 * f.share_error),
             "of the places, that the worst served class lacked of its target on average");
  out += row("preempted", std::to_string(f.preempted), "jobs stopped for the sake of other classes");
  out += row("lost", std::to_string(f.lost_and_rerun), "jobs run again since their worker failed");
  return out + "</table>\n";
}

std::string class_table(RunFigures& f) {
  std::string out =
      "<table>\n<tr><th>class</th><th>target</th><th>starts</th><th>wait, median</th><th>wait, "
      "p99</th></tr>\n";
  for (std::size_t c = 0; c < f.classes.size(); ++c)
    out += fmt::format(
        "<tr><td><b style=\"background:{}\"></b>{}</td><td class=\"n\">{:.1f} %</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        colour(c), escaped(f.classes[c]),
        100 * f.target[c] / std::max<double>(1, static_cast<double>(f.places)), f.wait_s[c].size(),
        duration_text(quantile(f.wait_s[c], 0.5)), duration_text(quantile(f.wait_s[c], 0.99)));
  return out + "</table>\n";
}

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>weir sim run</title><style>
body { font: 15px sans-serif; max-width: 980px; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 }
td, th { padding: .2em .8em .2em 0; text-align: left }
.n { text-align: right; font-variant-numeric: tabular-nums }
b { display: inline-block; width: .8em; height: .8em; margin-right: .5em }
svg { width: 100% } svg text { font-size: 12px; fill: #444 } svg line { stroke: #0003 }
</style></head><body>
<h1>A simulated cluster</h1>
)";

}  // namespace

std::string to_html(RunFigures& figures, const Timeline& timeline) {
  return fmt::format(
      "{}{}<h2>Places by class over time</h2>\n<p>The upper edge is how much of the cluster is in "
      "use.</p>\n{}{}</body></html>\n",
      kHead, figure_table(figures),
      Chart(timeline, static_cast<double>(figures.places), figures.makespan_s).draw(figures.classes.size()),
      class_table(figures));
}

}  // namespace weir::sim
