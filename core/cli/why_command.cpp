// weir why: why an element has to be built, or was built last.
#include <fmt/format.h>

#include <memory>

#include "core/base/print.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_element.h"
#include "core/cli/sandbox_option.h"
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

Run add_why_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<WhyOptions>();
  command.add_word("element", &options->element, "ELEMENT", "its name").required();
  add_sandbox_option(command, options->sandbox, "as it is to be built");
  command.add_flag("--json", &options->json, "as JSON, for programs");
  command.explain(
      "Names what changed since the element was last built: files, commands, variables, dependencies and "
      "theirs.",
      "weir why app\nweir why app --json");
  return [options, &globals] { return why(*options, globals); };
}

}  // namespace weir::cli
