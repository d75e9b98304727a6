#include "core/cli/run_report.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "core/base/shell_word.h"
#include "core/cli/person.h"
#include "core/cli/project_files.h"
#include "core/exec/sandbox.h"
#include "core/report/ci_report.h"
#include "core/report/github.h"
#include "core/report/github_summary.h"
#include "core/report/gitlab.h"

namespace weir::cli {

namespace {

std::string variable(const char* name) {
  const auto* value = std::getenv(name);
  return value ? value : "";
}

// 128 bits: a job that writes a log cannot guess it.
std::string random_token() {
  std::random_device bits;
  return fmt::format("weir-{:08x}{:08x}{:08x}{:08x}", bits(), bits(), bits(), bits());
}

GithubHost::FindFile find_file(const RunReportParts& parts) {
  const auto& opened = parts.opened;
  return [&opened, files = ProjectFiles(opened.project(), variable("GITHUB_WORKSPACE"))](
             const std::string& element, const std::string& path) {
    const bool bare = opened.values().sandbox.value == SandboxRoot::none;
    return files.find(element, bare ? opened.bare_folder(element) + "/build" : std::string(kInsideBuild),
                      path);
  };
}

std::unique_ptr<CiHost> host_of(const RunReportParts& parts) {
  if (variable("GITHUB_ACTIONS") == "true")
    return std::make_unique<GithubHost>(find_file(parts), random_token);
  if (variable("GITLAB_CI") == "true") return std::make_unique<GitlabHost>(parts.opened.project().name);
  return std::make_unique<CiHost>();
}

RunReport make_ci_report(const RunReportParts& parts) {
  constexpr std::size_t kExcerpt = 10;  // lines: the whole log comes at the end
  CiOptions options{report_options(parts), std::chrono::system_clock::now()};
  options.report.failures.tail_lines = kExcerpt;
  options.report.failures.next_commands = false;
  const auto style = options.report.failures;
  RunReport report;
  auto lines = std::make_unique<CiReport>(stderr, std::move(options), host_of(parts), parts.clock);
  report.timed = lines.get();
  report.observers.push_back(std::move(lines));
  const auto page = variable("GITHUB_STEP_SUMMARY");
  if (variable("GITHUB_ACTIONS") == "true" && !page.empty())
    report.observers.push_back(std::make_unique<GithubSummary>(page, style));
  return report;
}

}  // namespace

bool ci_wanted(const RunRequest& request) {
  const auto ci = variable("CI");
  return request.ci || !(ci.empty() || ci == "0" || ci == "false");
}

ReportOptions report_options(const RunReportParts& parts) {
  const auto& request = parts.request;
  ReportOptions options;
  options.color = wants_color(parts.opened.values());
  options.volume = request.quiet ? Volume::quiet : request.verbose ? Volume::verbose : Volume::normal;
  options.failures.log_directory = parts.folder.logs();
  if (request.directory != ".") options.failures.weir = "weir -C " + shell_word(request.directory);
  return options;
}

RunReport make_run_report(const RunReportParts& parts) {
  if (ci_wanted(parts.request)) return make_ci_report(parts);
  RunReport report;
  if (wants_display(parts.request, parts.opened.values())) {
    auto display = std::make_unique<LiveTerminal>(parts.loop, parts.clock, report_options(parts));
    report.display = display.get();
    report.observers.push_back(std::move(display));
    return report;
  }
  report.observers.push_back(std::make_unique<PlainReport>(stderr, report_options(parts)));
  return report;
}

}  // namespace weir::cli
