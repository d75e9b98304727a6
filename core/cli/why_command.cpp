// weir why: why an element has to be built, or was built last.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_project.h"
#include "core/cli/tell.h"
#include "core/cli/why_text.h"

namespace weir::cli {

namespace {

struct WhyOptions {
  std::string element, sandbox;
  bool json = false;
};

int why(const WhyOptions& options, const Globals& globals) {
  const auto opened = open_project(globals.directory, sandbox_setting(options.sandbox));
  if (!opened) return opened.error();
  auto store = open_store((*opened)->values(), "why " + options.element);
  if (!store) return tell(store.error());
  const auto planned = plan_targets(**opened, *store->store, std::span(&options.element, 1));
  if (!planned) return planned.error();
  const auto& plan = *(*planned)->plan;
  if ((*planned)->targets.size() != 1)
    return tell(Error{Reason::usage, fmt::format("\"{}\" is more than one element", options.element), "name one"});
  const auto all = survey(plan, *store->store, (*opened)->failures());
  if (!all) return tell(all.error());
  const auto last = LastBuilt::load((*opened)->folder());
  const auto answer = explain({plan, *store->store, *all, last}, plan.graph().ids[index((*planned)->targets.front())]);
  fmt::print("{}", options.json ? why_json(plan, answer) : why_text(plan, answer));
  return kDone;
}

}  // namespace

Run add_why_command(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<WhyOptions>();
  app.add_option("element", options->element, "its name")->required()->type_name("ELEMENT");
  app.add_option("--sandbox", options->sandbox, "as it is to be built: host, staged or none")->type_name("ROOT");
  app.add_flag("--json", options->json, "for scripts");
  return [options, &globals] { return why(*options, globals); };
}

}  // namespace weir::cli
