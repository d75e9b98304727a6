// weir log: what the jobs of an element wrote. Runs and their events are all it reads, so it works while a
// run is under way and when the project cannot be loaded any more.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>

#include "core/base/fd.h"
#include "core/base/print.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/log_follow.h"
#include "core/cli/log_search.h"
#include "core/cli/project_runs.h"
#include "core/cli/tell.h"
#include "core/report/terminal_text.h"
#include "core/store/file_tools.h"

namespace weir::cli {

namespace {

struct LogOptions {
  LogQuery query;
  bool path = false;
  bool follow = false;
  bool raw = false;
};

// Text that may not do anything to the terminal but colour it; others get every byte.
bool is_filtered(const LogOptions& options) { return !options.raw && ::isatty(STDOUT_FILENO) != 0; }

std::string describe(const FoundLog& found) {
  const auto& job = found.job;
  const auto unended = [&] {
    return stand_of(found.run, {}) == RunStand::running ? "running" : "no end is known";
  };
  auto ending = job.result.empty() ? std::string(unended()) : job.result;
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

Status show(const FoundLog& found, Colors colors, bool filtered) {
  const auto file = store::open_regular(AT_FDCWD, found.file().c_str());
  if (!file) return fail_errno("opening " + found.file());
  return filtered ? copy_to_terminal(found.file(), colors) : copy_raw(file.get());
}

int show_all(const std::vector<FoundLog>& all, const LogOptions& options, const Globals& globals,
             Colors colors) {
  for (const auto& found : all) {
    const bool silent = ::access(found.file().c_str(), F_OK) != 0;
    if (silent) weir::print(stderr, "{}: wrote nothing\n", describe(found));
    else if (!globals.quiet && !options.path) weir::print(stderr, "{}:\n", describe(found));
    if (silent) continue;
    const auto shown = options.path ? written(write_all(STDOUT_FILENO, found.file() + "\n"))
                                    : show(found, colors, is_filtered(options));
    if (!shown) return tell(shown.error());
  }
  return kDone;
}

// As show_all, of a job that goes on: line by line to a terminal, as it comes to others.
class LiveLog {
 public:
  LiveLog(const Globals& globals, Colors colors, bool filtered)
      : quiet_(globals.quiet), filtered_(filtered), colors_(colors) {}

  FollowedLog told(const std::string& element, std::uint64_t run) {
    const auto waiting = [=, this] {
      if (!quiet_) weir::print(stderr, "waiting for a job of {} in run {}\n", element, run);
    };
    return {waiting, [this](const FoundLog& found) { tell_of(found, ":"); },
            [this](std::string_view text) { return more(text); },
            [this](const FoundLog& found) { finish(found); }};
  }

 private:
  void tell_of(const FoundLog& found, const char* what) const {
    if (!quiet_) weir::print(stderr, "{}{}\n", describe(found), what);
  }
  Status more(std::string_view text) {
    any_ = true;
    if (filtered_ ? lines(text) : write_all(STDOUT_FILENO, text)) return {};
    if (errno == EPIPE) return fail(Reason::cancelled, "nobody reads any more");
    return written(false);
  }
  bool lines(std::string_view text) {
    line_ += text;
    for (auto end = line_.find('\n'); end != line_.npos; end = line_.find('\n')) {
      if (!write_all(STDOUT_FILENO, strip_control(std::string_view(line_).substr(0, end), colors_) + "\n"))
        return false;
      line_.erase(0, end + 1);
    }
    return true;
  }
  void finish(const FoundLog& found) {
    if (!line_.empty()) (void)lines("\n");
    if (filtered_ && colors_ == Colors::keep) (void)write_all(STDOUT_FILENO, "\x1b[0m");
    tell_of(found, any_ ? "" : ": wrote nothing");
    any_ = false;
  }

  bool quiet_, filtered_, any_ = false;
  Colors colors_;
  std::string line_;  // not whole yet, for a terminal
};

// The newest that is under way, if there is one.
Result<PastRun> run_to_follow(std::span<const PastRun> runs, std::uint64_t number) {
  if (number == 0)
    for (const auto& run : runs)
      if (stand_of(run, read_ends(run)) == RunStand::running) return run;
  return find_run(runs, number);
}

// Nothing: there is no job to follow.
std::optional<int> follow(const LogOptions& options, const ProjectRuns& opened, const Globals& globals,
                          Colors colors) {
  const auto& known = opened.project.elements;
  if (std::none_of(known.begin(), known.end(),
                   [&](const auto& element) { return element.name == options.query.element; }))
    return std::nullopt;
  const auto run = run_to_follow(opened.runs, options.query.run);
  if (!run) return tell(run.error());
  LiveLog log(globals, colors, is_filtered(options));
  const auto followed = follow_log(options.query, *run, log.told(options.query.element, run->number));
  if (!followed && followed.error().reason != Reason::cancelled) return tell(followed.error());
  return followed && !*followed ? std::nullopt : std::optional(kDone);
}

int run_log(const LogOptions& options, const Globals& globals) {
  if (options.follow && options.query.element.empty())
    return tell(Error{Reason::usage, "--follow needs an element", "weir log --follow ELEMENT"});
  const auto opened = open_runs(globals);
  if (!opened) return opened.error();
  const auto colors = opened->settings.color.value == Color::never ? Colors::drop : Colors::keep;
  if (options.follow)
    if (const auto exit = follow(options, *opened, globals, colors)) return *exit;

  const auto found = find_logs(options.query, opened->project, opened->runs);
  if (!found) return tell(found.error());
  if (found->empty()) {
    const auto number = options.query.run ? options.query.run : opened->runs.front().number;
    weir::print(stderr, "no job failed in run {}; `weir log ELEMENT` shows others\n", number);
  }
  return show_all(*found, options, globals, colors);
}

}  // namespace

Run add_log_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<LogOptions>();
  command.add_word("element", &options->query.element, "ELEMENT",
                   "the element; without one all jobs that failed in the newest run");
  command
      .add_option("--run", &options->query.run, "N",
                  "of this run; else of the newest in which the element had a job")
      .in_range(1, 1'000'000'000);
  command.add_option("--queue", &options->query.queue, "NAME",
                     "of this queue; else of a job that failed, or of the last one");
  command.add_flag("--path", &options->path, "say where the log is instead of showing it");
  command.add_flag(
      "-f,--follow", &options->follow,
      "of a run that is under way: go on until the job ends, and wait for it if it has not started");
  command.add_flag("--raw", &options->raw,
                   "write every byte to a terminal too; without it only colours are kept there");
  command.exclude("--path", "--follow");
  command.exclude("--path", "--raw");
  command.explain(
      "Works while a run is under way, and when the project cannot be loaded any more.",
      "weir log\nweir log app\nweir log --follow app\nweir log app --run 12 --queue fetch\nless \"$(weir "
      "log app --path)\"");
  return [options, &globals] { return run_log(*options, globals); };
}

}  // namespace weir::cli
