// weir ctl: asks a run that is under way, or tells it what to do (docs/control.md). As little of the project
// is read as for weir log, so a project that is being edited is in nobody's way.
#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/ctl_run.h"
#include "core/cli/ctl_status.h"
#include "core/cli/exit_codes.h"
#include "core/cli/subcommands.h"
#include "core/cli/tell.h"
#include "core/control/reply.h"
#include "core/control/request.h"
#include "core/project/load.h"
#include "core/project/settings.h"

namespace weir::cli {

namespace {

using CtlReply = control::Reply;
using control::Request;
namespace request = control::request;

// A run answers between two turns of its loop; one that does not for so long is stopped.
constexpr Duration kReplyTimeout = std::chrono::seconds(30);

struct CtlOptions {
  std::uint64_t run = 0;
  bool json = false;
  std::optional<std::string> job, name;
  std::string value, order, requestor;
  std::vector<std::string> targets;
};

struct Asked {
  std::uint64_t run = 0;
  CtlReply reply;
};

// A message may have lines, and anything in them.
std::string for_terminal(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += (out.empty() ? "" : "\n") + printable(line);
  return out;
}

// Whatever the run's reason, it is the request that was refused; unless there is no run any more that could.
Error refusal(const Asked& asked) {
  const auto reason = asked.reply.error.reason == Reason::cancelled ? Reason::system : Reason::usage;
  return {reason, fmt::format("run {}: {}", asked.run, for_terminal(asked.reply.error.message)),
          for_terminal(asked.reply.error.remedy)};
}

Result<Asked> ask(LiveRun live, const Request& request) {
  // A submission is planned first, which takes as long as it takes.
  const bool planned = std::holds_alternative<request::Submit>(request);
  const auto line =
      live.client.ask(control::to_line(request), planned ? std::nullopt : std::optional(kReplyTimeout));
  if (!line)
    return fail(line.error().reason, fmt::format("run {}: {}", live.number, line.error().message),
                line.error().remedy);
  auto reply = control::parse_reply(*line);
  if (!reply) return tl::unexpected(reply.error());
  return Asked{live.number, std::move(*reply)};
}

// The settings of this user; those of the run are the run's.
struct Place {
  Project project;
  Settings settings;
};
tl::expected<Place, int> place_of(const Globals& globals) {
  auto loaded = load_project({.directory = globals.directory});
  if (loaded.project.root.empty()) return tl::unexpected(tell(loaded.diagnostics, loaded.files));
  auto settings = load_settings({nullptr, command_settings(globals), {}}, {});
  if (!settings.ok()) return tl::unexpected(tell(settings.diagnostics, settings.files));
  return Place{std::move(loaded.project), std::move(settings.settings)};
}

using MakeRequest = Result<Request> (*)(const CtlOptions&, const Settings&);
using Show = void (*)(const Asked&, const CtlOptions&, const Globals&);

int run_ctl(const CtlOptions& options, const Globals& globals, MakeRequest make, Show show) {
  const auto place = place_of(globals);
  if (!place) return place.error();
  const auto request = make(options, place->settings);
  if (!request) return tell(request.error());
  auto live = find_live_run(
      list_runs(place->settings.cache_dir.value, place->project.name, place->project.root), options.run);
  if (!live) return tell(live.error());
  const auto asked = ask(std::move(*live), *request);
  if (!asked) return tell(asked.error());
  if (!asked->reply.ok) return tell(refusal(*asked));
  show(*asked, options, globals);
  return kDone;
}

// A variable of a script that is empty must not become all jobs.
Status not_empty(const std::optional<std::string>& word, std::string_view what) {
  if (!word || !word->empty()) return {};
  return fail(Reason::usage, fmt::format("the {} is empty", what), "leave it out to mean all");
}

template <class Order>
Result<Request> job_request(const CtlOptions& options, const Settings&) {
  if (auto good = not_empty(options.job, "job"); !good) return tl::unexpected(good.error());
  return Order{options.job.value_or("")};
}

Result<Request> submit_request(const CtlOptions& options, const Settings& settings) {
  const auto& requestor = options.requestor.empty() ? settings.requestor.value : options.requestor;
  return request::Submit{requestor, options.targets};
}

Result<Request> get_request(const CtlOptions& options, const Settings&) {
  if (auto good = not_empty(options.name, "name"); !good) return tl::unexpected(good.error());
  return request::Get{options.name.value_or("")};
}

// "60s" is no JSON and means itself.
std::string json_of(const std::string& value) {
  const auto parsed = parse_json(value);
  return to_json(parsed ? *parsed : JsonValue{JsonValue::Kind::text, false, value, {}, {}});
}

Result<Request> set_request(const CtlOptions& options, const Settings&) {
  return request::Set{options.name.value_or(""), json_of(options.value)};
}

Result<Request> worker_request(const CtlOptions& options, const Settings&) {
  const auto order = control::parse_worker_order(options.order);
  if (!order) return tl::unexpected(order.error());
  return request::Worker{options.name.value_or(""), *order};
}

void show_done(const Asked& asked, const CtlOptions&, const Globals& globals) {
  if (!globals.quiet) weir::print(stderr, "run {}: done\n", asked.run);
}

void show_status(const Asked& asked, const CtlOptions& options, const Globals&) {
  const auto* status = asked.reply.document.member("status");
  const auto& shown = status ? *status : JsonValue{};
  weir::print("{}", options.json ? to_json(shown) + "\n" : status_text(shown));
}

void show_submitted(const Asked& asked, const CtlOptions&, const Globals& globals) {
  const auto* targets = asked.reply.document.member("targets");
  if (!globals.quiet)
    weir::print(stderr, "run {}: targets taken in: {}\n", asked.run, targets ? targets->text : "all");
}

void show_settings(const Asked& asked, const CtlOptions& options, const Globals&) {
  const auto* value = asked.reply.document.member(options.name ? "value" : "settings");
  if (!value) return;
  weir::print("{}\n", value->kind == JsonValue::Kind::text ? value->text : to_json(*value));
}

}  // namespace

Run add_ctl_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<CtlOptions>();
  command
      .add_option("--run", &options->run, "N", "this run of the project; else the newest that is under way")
      .in_range(1, 1'000'000'000);
  Subcommands commands(command, globals);
  const auto add = [&](const char* name, const char* what, const char* example, MakeRequest make, Show show) {
    auto& added = commands.add(
        name, what, [options, &globals, make, show] { return run_ctl(*options, globals, make, show); });
    added.explain("", example);
    return &added;
  };
  auto* status = add(
      "status", "what the run does: queues, tokens, workers, jobs", "weir ctl status --json",
      [](const CtlOptions&, const Settings&) -> Result<Request> { return request::Status{}; }, show_status);
  auto* cancel = add("cancel", "end a job, or the whole run", "weir ctl cancel 12",
                     job_request<request::Cancel>, show_done);
  auto* suspend = add("suspend", "let a job stand still, or all of them and start none",
                      "weir ctl --run 3 suspend lib", job_request<request::Suspend>, show_done);
  auto* resume = add("resume", "let what was suspended go on", "weir ctl resume",
                     job_request<request::Resume>, show_done);
  auto* submit = add("submit", "build more targets in the same run",
                     "weir ctl submit --requestor ci-7 app 'tools/*'", submit_request, show_submitted);
  auto* get = add("get", "a setting of the run, or all of them as JSON", "weir ctl get loads", get_request,
                  show_settings);
  auto* set = add("set", "change a setting of the run", "weir ctl set loads '{\"ci\": 70, \"dev\": 30}'",
                  set_request, show_done);
  auto* worker = add("worker", "take a worker out of the run, or back", "weir ctl worker drain w1",
                     worker_request, show_done);

  status->add_flag("--json", &options->json, "as JSON, for programs");
  for (auto* of_job : {cancel, suspend, resume})
    of_job->add_word("job", &options->job, "JOB", "its number, or its element; all of them without");
  submit->add_option("--requestor", &options->requestor, "NAME", "for whom; else the setting requestor");
  submit->add_word("target", &options->targets, "TARGET", "elements; * and ** match several").required();
  get->add_word("name", &options->name, "NAME", "of a setting");
  set->add_word("name", &options->name, "NAME",
                "of a setting: loads, requestors, rebalance-threshold, rebalance-after, tokens")
      .required();
  set->add_word("value", &options->value, "VALUE", "as JSON; what is none is taken as text").required();
  worker
      ->add_word("order", &options->order, "ORDER",
                 "drain (its jobs end), remove (they are stopped) or return")
      .one_of({"drain", "remove", "return"})
      .required();
  worker->add_word("name", &options->name, "NAME", "of the worker").required();
  command.explain("",
                  "weir ctl status\nweir ctl --run 3 suspend lib\nweir ctl set tokens '{\"process\": 2}'");
  return commands.chosen();
}

}  // namespace weir::cli
