// weir show: how the elements of a project stand, as a table or as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/base/json_writer.h"
#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/build/survey.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/command_settings.h"
#include "core/cli/dependency_scope.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_project.h"
#include "core/cli/sandbox_option.h"
#include "core/cli/tell.h"
#include "core/remote/transfer.h"
#include "core/remote/whereabouts.h"

namespace weir::cli {

namespace {

struct ShowOptions {
  std::vector<std::string> targets;
  std::string deps = "all";
  std::string sandbox;
  bool json = false;
  bool no_remote = false;
};

// Which remotes have the artifact of each row.
using Holders = std::vector<std::vector<std::string>>;

using ShownElement = std::pair<ElementId, const SurveyedElement*>;

std::vector<ShownElement> rows_by_name(const BuildPlan& plan, const std::vector<SurveyedElement>& all) {
  std::vector<ShownElement> rows;
  for (std::uint32_t i = 0; i < all.size(); ++i) rows.emplace_back(ElementId{i}, &all[i]);
  std::sort(rows.begin(), rows.end(), [&](const ShownElement& a, const ShownElement& b) {
    return plan.name(a.first) < plan.name(b.first);
  });
  return rows;
}

// Nothing without remotes. One that cannot be asked is told of.
Holders find_holders(OpenedProject& opened, const BuildPlan& plan, const std::vector<ShownElement>& rows,
                     RemoteLines& lines, const Clock& clock) {
  Holders holders;
  if (lines.empty() || opened.values().sandbox.value == SandboxRoot::none) return holders;
  std::vector<RemoteName> keys;
  std::vector<std::size_t> asked;  // rows whose keys are known
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!plan.has_key(rows[i].first)) continue;
    keys.push_back(remote_key(plan.recipe(rows[i].first)));
    asked.push_back(i);
  }
  holders.resize(rows.size());
  for (const auto& answer : find_records(lines.pull_from(), keys, clock))
    for (std::size_t i = 0; i < answer.there.size(); ++i)
      if (answer.there[i]) holders[asked[i]].push_back(answer.remote);
  return holders;
}

void print_show_table(const BuildPlan& plan, const std::vector<ShownElement>& rows, const Holders& holders) {
  std::size_t width = 7;
  for (const auto& [id, one] : rows) width = std::max(width, plan.name(id).size());
  weir::print("{:<{}}  {:<10}  {:<12}  {}\n", "element", width, "kind", "state",
              holders.empty() ? "key" : "key               remotes");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [id, one] = rows[i];
    const auto key = plan.has_key(id) ? plan.recipe_key(id).hex().substr(0, 16) : "-";
    const auto where = holders.empty() ? std::string() : fmt::format("  {}", fmt::join(holders[i], " "));
    weir::print("{:<{}}  {:<10}  {:<12}  {:<{}}{}\n", plan.name(id), width, plan.element(id).kind.text,
                to_string(one->standing), key, where.size() > 2 ? 16 : 0, where.size() > 2 ? where : "");
  }
}

void write_names(JsonWriter& json, std::string_view key, const Project& project, const Element& element,
                 DependencyKind kind) {
  json.key(key).begin_array();
  for (const auto& dependency : element.dependencies)
    if (dependency.kind == kind) json.value(project[dependency.to].name);
  json.end_array();
}

void write_element(JsonWriter& json, const BuildPlan& plan, ElementId id, const SurveyedElement& one,
                   const std::vector<std::string>& remotes) {
  const auto& element = plan.element(id);
  json.begin_object();
  json.key("name").value(element.name).key("kind").value(element.kind.text);
  json.key("state")
      .value(to_string(one.standing))
      .key("key")
      .value(plan.has_key(id) ? plan.recipe_key(id).hex() : "");
  write_names(json, "depends", plan.project(), element, DependencyKind::both);
  write_names(json, "build-depends", plan.project(), element, DependencyKind::build);
  write_names(json, "runtime-depends", plan.project(), element, DependencyKind::runtime);
  json.key("sources").begin_array();
  for (std::size_t i = 0; i < element.sources.size(); ++i)
    json.begin_object()
        .key("kind")
        .value(element.sources[i].kind.text)
        .key("ref")
        .value(plan.source_ref(id, i))
        .end_object();
  json.end_array();
  json.key("cached").begin_object().key("local").value(one.artifact.has_value());
  json.key("remotes").begin_array();
  for (const auto& remote : remotes) json.value(remote);
  json.end_array().end_object();
  json.key("last");
  if (one.artifact) {
    const auto& record = one.artifact->record;
    const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
    json.begin_object()
        .key("seconds")
        .value(seconds(record.wall))
        .key("cpu_seconds")
        .value(seconds(record.cpu));
    json.key("peak_bytes").value(record.peak_bytes).key("output").value(record.output.hex()).end_object();
  } else {
    json.null();
  }
  json.end_object();
}

void print_show_json(const BuildPlan& plan, const std::vector<ShownElement>& rows, const Holders& holders) {
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .key("v")
      .value(1)
      .key("project")
      .value(plan.project().name)
      .key("elements")
      .begin_array();
  for (std::size_t i = 0; i < rows.size(); ++i)
    write_element(json, plan, rows[i].first, *rows[i].second,
                  holders.empty() ? std::vector<std::string>() : holders[i]);
  json.end_array().end_object();
  weir::print("{}\n", text);
}

// Keys need all dependencies, so the plan has them; the scope decides on what is shown.
int show(const ShowOptions& options, const Globals& globals) {
  auto settings = command_settings(globals, options.sandbox);
  if (options.no_remote) settings.push_back({"remotes", "none", "--no-remote"});
  const auto opened = open_project(globals.directory, std::move(settings));
  if (!opened) return opened.error();
  auto targets = options.targets;
  if (targets.empty()) targets = {"**"};
  auto store = open_store_to_look((*opened)->values());
  if (!store) return tell(store.error());
  const auto planned = plan_targets(**opened, *store->store, targets);
  if (!planned) return planned.error();
  const auto& plan = *(*planned)->plan;
  const auto all = survey(plan, *store->store, (*opened)->failures());
  if (!all) return tell(all.error());
  const auto shown = make_graph((*opened)->project(), (*planned)->targets, scope_of(options.deps));
  auto rows = rows_by_name(plan, *all);
  std::erase_if(rows, [&](const ShownElement& row) {
    return shown.ids[index(plan.graph().elements[index(row.first)])] == kNoElement;
  });
  auto setups = remote_setups((*opened)->remote_context(), PushTo::those_that_ask);
  if (!setups) return tell(setups.error());
  for (const auto& withheld : withheld_tokens((*opened)->remote_context()))
    weir::print(stderr, "weir: {}\n", printable_lines(to_text(withheld)));
  for (const auto& url : (*opened)->unasked_remotes)
    weir::print(stderr,
                "weir: {} was not asked: the project is not trusted; `weir trust` shows and allows it\n",
                printable(url));
  const SteadyClock clock;
  const auto lines = make_remote_lines(
      (*opened)->remote_context(), std::move(*setups), clock, [](const RemoteLine::News& news) {
        if (news.first) weir::print(stderr, "weir: {}\n", printable_lines(news_text(news)));
      });
  const auto holders = find_holders(**opened, plan, rows, *lines, clock);
  options.json ? print_show_json(plan, rows, holders) : print_show_table(plan, rows, holders);
  return kDone;
}

}  // namespace

Run add_show_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<ShowOptions>();
  command.add_word("targets", &options->targets, "TARGET",
                   "elements, by name or glob; without any all of them");
  add_scope_option(command, options->deps);
  add_sandbox_option(command, options->sandbox, "as it is to be built");
  command.add_flag("--no-remote", &options->no_remote, "do not ask remotes what they have");
  command.add_flag("--json", &options->json, "as JSON, for programs");
  command.explain(
      "A table of elements with their kind, their state and the begin of their key; remotes are asked "
      "what they have. States: "
      "no-ref, waiting, fetch-needed, buildable, cached, failed.",
      "weir show\nweir show app --deps none\nweir show 'base/**' --json | jq '.elements[].state'");
  return [options, &globals] { return show(*options, globals); };
}

}  // namespace weir::cli
