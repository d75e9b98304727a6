// weir runs: what was run in this project, newest first.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/text.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/declare.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_project.h"
#include "core/cli/run_folder.h"
#include "core/cli/run_history.h"
#include "core/cli/value_checks.h"

namespace weir::cli {

namespace {

struct RunsOptions {
  std::size_t most = 20;
  bool json = false;
};

std::string words(const RunLine& run) {
  std::string text;
  for (const auto& word : run.arguments) text += (text.empty() ? "" : " ") + word;
  return text;
}

void print_row(std::uint64_t number, const RunLine& run) {
  const auto result = run.result.empty() ? "unfinished" : run.result;
  const auto time = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(run.seconds));
  weir::print("{:>5}  {:<24}  {:<10}  {:>8}  {:>5}  {:>6}  {:>6}  {:>6}  {}\n", number, run.start, result, format_duration(time),
             run.built, run.cached, run.pulled, run.failed, words(run));
}

void write_row(JsonWriter& json, std::uint64_t number, const RunLine& run) {
  json.begin_object().key("run").value(number).key("start").value(run.start).key("result").value(run.result);
  json.key("exit").value(run.exit).key("seconds").value(run.seconds).key("built").value(run.built);
  json.key("cached").value(run.cached).key("pulled").value(run.pulled).key("pushed").value(run.pushed).key("failed").value(run.failed).key("args").begin_array();
  for (const auto& word : run.arguments) json.value(word);
  json.end_array().end_object();
}

int runs(const RunsOptions& options, const Globals& globals) {
  const auto opened = open_project(globals.directory, command_settings(globals));
  if (!opened) return opened.error();
  const auto& project = (*opened)->project();
  auto past = list_runs((*opened)->values().cache_dir.value, project.name, project.root);
  if (past.size() > options.most) past.resize(options.most);
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("v").value(1).key("project").value(project.name).key("runs").begin_array();
  if (!options.json)
    weir::print("{:>5}  {:<24}  {:<10}  {:>8}  {:>5}  {:>6}  {:>6}  {:>6}  {}\n", "run", "start", "result", "time", "built", "cached",
               "pulled", "failed", "command");
  for (const auto& run : past) {
    const auto line = read_run(run.events());
    options.json ? write_row(json, run.number, line) : print_row(run.number, line);
  }
  json.end_array().end_object();
  if (options.json) weir::print("{}\n", text);
  return kDone;
}

}  // namespace

Run add_runs_command(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<RunsOptions>();
  app.add_option("-n", options->most, "how many at the most")
      ->check(whole_number(1, 1'000'000'000))
      ->type_name("COUNT")
      ->capture_default_str();
  app.add_flag("--json", options->json, "as JSON, for programs");
  explain(app, "Newest first, with how each ended and what it was asked for.", "weir runs -n 5");
  return [options, &globals] { return runs(*options, globals); };
}

}  // namespace weir::cli
