// weir why: why an element has to be built, or was built last.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_element.h"
#include "core/cli/tell.h"
#include "core/cli/why_text.h"

namespace weir::cli {

namespace {

struct WhyOptions {
  std::string element, sandbox;
  bool json = false;
};

int why(const WhyOptions& options, const Globals& globals) {
  const auto element = open_element(globals, options.element, options.sandbox, "why");
  if (!element) return element.error();
  auto& store = *element->store.store;
  const auto all = survey(element->plan(), store, element->opened->failures());
  if (!all) return tell(all.error());
  const auto last = LastBuilt::load(element->opened->folder());
  const auto answer = explain({element->plan(), store, *all, last}, element->target);
  weir::print("{}", options.json ? why_json(element->plan(), answer) : why_text(element->plan(), answer));
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
