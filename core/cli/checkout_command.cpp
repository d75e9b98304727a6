// weir checkout: an artifact as files, without the prefix unless --full asks for it.
#include <fmt/format.h>

#include <memory>

#include "core/build/job_folders.h"
#include "core/build/survey.h"
#include "core/build/tree_edit.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/opened_element.h"
#include "core/cli/sandbox_option.h"
#include "core/cli/tar_writer.h"
#include "core/cli/tell.h"

namespace weir::cli {

namespace {

struct CheckoutOptions {
  std::string element, directory, tar, sandbox;
  std::string deps = "none";
  bool full = false;
};

// The artifact of the target, with those that it needs at run time if they are asked for.
Result<store::Digest> artifact_tree(const BuildPlan& plan, store::Store& store, const Failures& failures,
                                    ElementId target, bool with_runtime) {
  const auto all = survey(plan, store, failures);
  if (!all) return tl::unexpected(all.error());
  std::vector<store::Layer> layers;
  auto elements = with_runtime ? plan.runtime_closure(target) : std::vector{target};
  for (const auto element : plan.staging_order(target, std::move(elements))) {
    const auto& artifact = (*all)[index(element)].artifact;
    if (!artifact) {
      store.note_miss();
      return fail(Reason::not_found, fmt::format("{} is not built", plan.name(element)),
                  fmt::format("run weir build {}", plan.name(target)));
    }
    layers.push_back({artifact->record.output, plan.name(element)});
  }
  return store.merge(layers, may_overlap(plan.element(target).overlaps));
}

// What is below the prefix; an artifact that has nothing there is empty.
Result<store::Digest> without_prefix(store::Store& store, const store::Digest& tree,
                                     const std::string& prefix) {
  auto part = subtree(store, tree, prefix);
  if (!part && part.error().reason == Reason::project) return empty_tree(store);
  return part;
}

int checkout(const CheckoutOptions& options, const Globals& globals) {
  if (options.directory.empty() == options.tar.empty())
    return tell(Error{Reason::usage, "checkout writes to a folder or to an archive",
                      "weir checkout ELEMENT DIR, or weir checkout ELEMENT --tar FILE"});
  const auto element = open_element(globals, options.element, options.sandbox, "checkout of");
  if (!element) return element.error();
  auto& store = *element->store.store;
  auto tree = artifact_tree(element->plan(), store, element->opened->failures(), element->target,
                            options.deps == "run");
  if (tree && !options.full) tree = without_prefix(store, *tree, element->opened->project().prefix);
  if (!tree) return tell(tree.error());
  const auto written =
      options.tar.empty() ? store.checkout(*tree, options.directory) : write_tar(store, *tree, options.tar);
  return written ? kDone : tell(written.error());
}

}  // namespace

Run add_checkout_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<CheckoutOptions>();
  command.add_word("element", &options->element, "ELEMENT", "its name").required();
  command.add_word("directory", &options->directory, "DIR", "a new or empty folder");
  command.add_option("--tar", &options->tar, "FILE", "write a tar archive instead; - is standard output");
  command.add_option("--deps", &options->deps, "WHICH", "none, or run: with what it needs at run time")
      .one_of({"none", "run"})
      .show_default();
  add_sandbox_option(command, options->sandbox, "as it was built");
  command.add_flag("--full", &options->full, "keep the prefix");
  command.explain(
      "Writes the artifact without the project's prefix. It has to be built or pulled before.",
      "weir checkout app out\nweir checkout app --tar app.tar --deps run\nweir checkout app --full --tar "
      "- | tar -t");
  return [options, &globals] { return checkout(*options, globals); };
}

}  // namespace weir::cli
