// weir runs: what was run in this project, newest first.
#include <fmt/format.h>

#include <memory>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/local_time.h"
#include "core/cli/project_runs.h"
#include "core/cli/run_history.h"
#include "core/report/run_picture.h"
#include "core/report/run_words.h"

namespace weir::cli {

namespace {

struct RunsOptions {
  std::size_t most = 20;
  bool json = false;
};

std::string done_words(const RecordedEnd& end) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(end.built, "built");
  add(end.cached, "cached");
  add(end.pulled, "pulled");
  add(end.tracked, "tracked");
  add(end.fetched, "fetched");
  add(end.pushed, "pushed");
  add(end.failed, "failed");
  add(end.skipped, "not finished");
  return text.empty() ? "nothing to do" : text;
}

constexpr const char* kRow = "{:>5}  {:<19}  {:>8}  {:<9}  {:>4}  {:<34}  {}\n";

// A run that goes on has taken the time since it began, one that was killed as long as its events tell.
Duration time_of(const RunRecord& record, RunStand stand) {
  if (record.end()) return from_seconds(record.end()->seconds);
  const auto start = read_time(record.run().start);
  if (stand != RunStand::running || !start) return record.last();
  return std::max(record.last(),
                  std::chrono::duration_cast<Duration>(std::chrono::system_clock::now() - *start));
}

void print_row(const PastRun& run, const RunRecord& record) {
  const auto& end = record.end();
  const auto stand = stand_of(run, record);
  const auto start = read_time(record.run().start);
  weir::print(fmt::runtime(kRow), run.number, start ? local_text(*start) : record.run().start,
              format_duration(time_of(record, stand)), end ? std::string_view(end->result) : to_string(stand),
              end ? std::to_string(end->exit) : std::string(), end ? done_words(*end) : std::string(),
              fmt::join(record.run().arguments, " "));
}

void write_row(JsonWriter& json, const PastRun& run, const RunRecord& record) {
  const auto end = record.end().value_or(RecordedEnd{});
  json.begin_object()
      .key("run")
      .value(run.number)
      .key("start")
      .value(record.run().start)
      .key("result")
      .value(end.result);
  json.key("stand").value(to_string(stand_of(run, record)));
  json.key("exit").value(end.exit).key("seconds").value(end.seconds).key("built").value(end.built);
  json.key("cached")
      .value(end.cached)
      .key("pulled")
      .value(end.pulled)
      .key("pushed")
      .value(end.pushed)
      .key("failed")
      .value(end.failed)
      .key("args")
      .begin_array();
  for (const auto& word : record.run().arguments) json.value(word);
  json.end_array().end_object();
}

int runs(const RunsOptions& options, const Globals& globals) {
  const auto opened = open_runs(globals);
  if (!opened) return opened.error();
  auto past = opened->runs;
  if (past.size() > options.most) past.resize(options.most);
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("v").value(1).key("project").value(opened->project.name).key("runs").begin_array();
  if (!options.json)
    weir::print(fmt::runtime(kRow), "run", "start", "time", "result", "exit", "done", "command");
  for (const auto& run : past) {
    const auto record = read_ends(run);
    options.json ? write_row(json, run, record) : print_row(run, record);
  }
  json.end_array().end_object();
  if (options.json) weir::print("{}\n", text);
  return kDone;
}

}  // namespace

Run add_runs_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<RunsOptions>();
  command.add_option("-n", &options->most, "COUNT", "how many at the most")
      .in_range(1, 1'000'000'000)
      .show_default();
  command.add_flag("--json", &options->json, "as JSON, for programs");
  command.explain("Newest first, with how each ended and what it was asked for.", "weir runs -n 5");
  return [options, &globals] { return runs(*options, globals); };
}

}  // namespace weir::cli
