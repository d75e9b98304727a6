// weir log: what the jobs of an element wrote. Runs and their events are all it reads, so it works while a run is under
// way and when the project cannot be loaded any more.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <fstream>
#include <memory>

#include "core/base/fd.h"
#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/declare.h"
#include "core/cli/exit_codes.h"
#include "core/cli/log_search.h"
#include "core/cli/tell.h"
#include "core/cli/value_checks.h"
#include "core/project/load.h"
#include "core/project/settings.h"
#include "core/report/terminal_text.h"

namespace weir::cli {

namespace {

struct LogOptions {
  LogQuery query;
  bool path = false;
};

std::string describe(const FoundLog& found) {
  const auto& job = found.job;
  auto ending = job.result.empty() ? std::string("no end is known") : job.result;
  if (!job.failure.empty()) ending += ": " + job.failure;
  if (job.exit) ending += fmt::format(", exit {}", *job.exit);
  return fmt::format("{} {}, run {}, job {} ({})", job.queue, job.element, found.run.number, job.id, ending);
}

// A reader that went away has seen enough.
Status written(bool complete) {
  if (complete || errno == EPIPE) return {};
  return fail_errno("writing the log to standard output");
}

Status copy_raw(int from) {
  char buffer[64 * 1024];
  for (;;) {
    const auto got = ::read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("reading the log");
    if (got == 0) return {};
    if (!write_all(STDOUT_FILENO, {buffer, static_cast<std::size_t>(got)})) return written(false);
  }
}

// Line by line, so that a sequence without an end swallows no more than its line.
Status copy_to_terminal(const std::string& path, Colors colors) {
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);)
    if (!write_all(STDOUT_FILENO, strip_control(line, colors) + "\n")) return written(false);
  return written(colors == Colors::drop || write_all(STDOUT_FILENO, "\x1b[0m"));
}

Status show(const FoundLog& found, Colors colors) {
  const UniqueFd file(::open(found.file().c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail_errno("opening " + found.file());
  return ::isatty(STDOUT_FILENO) ? copy_to_terminal(found.file(), colors) : copy_raw(file.get());
}

int show_all(const std::vector<FoundLog>& all, const LogOptions& options, const Globals& globals, Colors colors) {
  for (const auto& found : all) {
    const bool silent = ::access(found.file().c_str(), F_OK) != 0;
    if (silent) weir::print(stderr, "{}: wrote nothing\n", describe(found));
    else if (!globals.quiet && !options.path) weir::print(stderr, "{}:\n", describe(found));
    if (silent) continue;
    const auto shown = options.path ? written(write_all(STDOUT_FILENO, found.file() + "\n")) : show(found, colors);
    if (!shown) return tell(shown.error());
  }
  return kDone;
}

int run_log(const LogOptions& options, const Globals& globals) {
  // No kinds are known, so none is wrong: names and folders are all that counts here.
  const auto loaded = load_project({.directory = globals.directory});
  const auto& project = loaded.project;
  if (project.root.empty()) return tell(loaded.diagnostics, loaded.files);
  const auto settings = load_settings({nullptr, command_settings(globals), {}}, {});
  if (!settings.ok()) return tell(settings.diagnostics, settings.files);
  if (!loaded.ok() && !globals.quiet)
    weir::print(stderr, "weir: the project has errors, its runs are shown all the same\n");

  const auto runs = list_runs(settings.settings.cache_dir.value, project.name, project.root);
  const auto found = find_logs(options.query, project, runs);
  if (!found) return tell(found.error());
  if (found->empty()) {
    const auto number = options.query.run ? options.query.run : runs.front().number;
    weir::print(stderr, "no job failed in run {}; `weir log ELEMENT` shows others\n", number);
  }
  const bool plain = settings.settings.color.value == Color::never;
  return show_all(*found, options, globals, plain ? Colors::drop : Colors::keep);
}

}  // namespace

Run add_log_command(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<LogOptions>();
  app.add_option("element", options->query.element, "the element; without one all jobs that failed in the newest run")
      ->type_name("ELEMENT");
  app.add_option("--run", options->query.run, "of this run; else of the newest in which the element had a job")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  app.add_option("--queue", options->query.queue, "of this queue; else of a job that failed, or of the last one")
      ->type_name("NAME");
  app.add_flag("--path", options->path, "say where the log is instead of showing it");
  explain(app, "Works while a run is under way, and when the project cannot be loaded any more.",
          "weir log\nweir log app\nweir log app --run 12 --queue fetch\nless \"$(weir log app --path)\"");
  return [options, &globals] { return run_log(*options, globals); };
}

}  // namespace weir::cli
