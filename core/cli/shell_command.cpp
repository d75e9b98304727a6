// weir shell: a shell or a command where an element is built, with what its build would find there. It builds
// nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "core/base/print.h"
#include "core/build/fetched_sources.h"
#include "core/build/job_folders.h"
#include "core/build/survey.h"
#include "core/cli/args.h"
#include "core/cli/bare_folder.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/kept_build.h"
#include "core/cli/opened_element.h"
#include "core/cli/sandbox_option.h"
#include "core/cli/shell_folder.h"
#include "core/cli/tell.h"
#include "core/exec/process_steps.h"
#include "core/exec/terminal_job.h"

namespace weir::cli {

namespace {

constexpr JobId kOnlyJob{1};

struct ShellOptions {
  std::string element, sandbox;
  bool failed = false;
};

// The sandbox itself knows best whether it has bash. No rc file: those of the machine would set another
// prompt.
constexpr const char* kFindShell =
    "if command -v bash > /dev/null 2>&1; then exec bash --norc; fi; PS1=$0; export PS1; exec sh";

void set_if_missing(Environment& environment, const std::string& name, const std::string& value) {
  for (const auto& [known, text] : environment)
    if (known == name) return;
  environment.emplace_back(name, value);
}

// The build's own, and what only makes sense for a person.
Environment environment_for(const JobSpec& spec, const std::string& element, bool interactive) {
  auto environment = spec.environment;
  const char* terminal = std::getenv("TERM");
  if (terminal && (::isatty(STDIN_FILENO) || ::isatty(STDOUT_FILENO)))
    set_if_missing(environment, "TERM", terminal);
  if (!interactive) return environment;
  set_if_missing(
      environment, "PS1",
      fmt::format("[weir {}] {} \\$ ", element, spec.sandbox == SandboxRoot::none ? "\\W" : "\\w"));
  set_if_missing(environment, "HISTFILE", "");  // without a sandbox it would be a file of the machine
  return environment;
}

// The build's inputs as they are in the store. What is not there has to be built first.
Result<JobSpec> spec_of(BuildPlan& plan, store::Store& store, const Failures& failures, ElementId target,
                        const std::string& sandbox) {
  const auto all = survey(plan, store, failures);
  if (!all) return tl::unexpected(all.error());
  std::vector<std::string> missing;
  for (const auto element : plan.staged(target))
    if (!(*all)[index(element)].artifact) missing.push_back(plan.name(element));
  if (!missing.empty())
    return fail(
        Reason::not_found,
        fmt::format("what {} is built with is not built: {}", plan.name(target), fmt::join(missing, ", ")),
        fmt::format("weir build {}{}", sandbox.empty() ? "" : "--sandbox " + sandbox + " ",
                    fmt::join(missing, " ")));
  const auto fetched = find_fetched_sources(plan, store, target);
  if (!fetched) return tl::unexpected(fetched.error());
  if (!*fetched)
    return fail(Reason::not_found, fmt::format("sources of {} are not fetched", plan.name(target)),
                "weir fetch " + plan.name(target));
  return plan.build_spec(target,
                         [&](ElementId element) { return (*all)[index(element)].artifact->record.output; });
}

class Shell {
 public:
  Shell(const ShellOptions& options, const Globals& globals, const OpenedProject& opened, store::Store& store,
        BuildPlan& plan, ElementId target)
      : options_(options), globals_(globals), opened_(opened), store_(store), plan_(plan), target_(target) {}

  Result<int> run() {
    auto spec = spec_of(plan_, store_, opened_.failures(), target_, options_.sandbox);
    if (!spec) return tl::unexpected(spec.error());
    spec_ = std::move(*spec);
    // In place of the build's steps, so that files are staged for kinds that run nothing, too.
    spec_.steps = {RunStep{words(), "build", {}}};
    if (auto found = find_place(); !found) return tl::unexpected(found.error());
    JobFolders folders(
        store_, {[this](const std::string&) { return work_; },
                 [this](const std::string& element) { return opened_.bare_folder(element); },
                 opened_.project().prefix,
                 {},
                 [this](const std::string& element) { return overlaps_of(opened_.project(), element); }});
    const auto staged = kept_ ? folders.stage_again(kOnlyJob, spec_) : folders.stage(kOnlyJob, spec_);
    if (!staged) return tl::unexpected(staged.error());
    if (bare_folder_) bare_folder_->mark();
    const auto job = job_in(folders, *staged);
    if (auto ready = kept_ ? Status() : prepare(folders, job); !ready) return tl::unexpected(ready.error());
    return run_on_terminal(job);
  }

 private:
  const std::string& name() const { return plan_.name(target_); }
  bool bare() const { return spec_.sandbox == SandboxRoot::none; }

  std::vector<std::string> words() const {
    if (!globals_.words.empty()) return globals_.words;
    return {"sh", "-c", kFindShell, fmt::format("[weir {}] $ ", name())};
  }

  Status find_place() {
    if (bare()) {
      auto lock = lock_bare_folder(store_, plan_, target_);
      if (!lock) return tl::unexpected(lock.error());
      bare_lock_ = std::move(*lock);
      recover_bare_folder(opened_.bare_folder(name()));
    }
    if (options_.failed) return find_kept();
    if (bare()) {
      bare_folder_.emplace(opened_.bare_folder(name()));
      return {};
    }
    auto folder = ShellFolder::make(opened_.folder());
    if (!folder) return tl::unexpected(folder.error());
    folder_.emplace(std::move(*folder));
    work_ = folder_->path() + "/work";
    return {};
  }

  Status find_kept() {
    const auto& project = opened_.project();
    const auto runs = list_runs(opened_.values().cache_dir.value, project.name, project.root);
    auto kept = find_kept_build(runs, name(), opened_.bare_folder(name()), !bare());
    if (!kept) return tl::unexpected(kept.error());
    work_ = kept->work;
    if (!kept->key.empty() && kept->key != plan_.recipe_key(target_).hex())
      weir::print(
          stderr,
          "weir: the project has changed since run {}; environment and dependencies are those of now\n",
          kept->run);
    if (!globals_.quiet)
      weir::print(stderr,
                  "weir: these are the files that run {} left, no copy; they are kept until the next run\n",
                  kept->run);
    kept_ = std::move(*kept);
    return {};
  }

  // What sources want to have done before the build begins, such as patches.
  Status prepare(const JobFolders& folders, TerminalJob job) const {
    job.aside = true;
    const ProcessStepContext context{
        [&](std::string_view root) { return folders.directory(spec_, root); }, !bare(), {}};
    const auto& sources = plan_.resolved_sources(target_);
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (const auto& step : sources[i].stage.steps)
        if (auto done = run_aside(step, context, job); !done) return done;
    return {};
  }

  static Status run_aside(const Step& step, const ProcessStepContext& context, TerminalJob& job) {
    if (!is_process_step(step)) return fail(Reason::bug, "a source wants a step that is no command");
    auto planned = plan_process_step(step, context);
    if (!planned) return tl::unexpected(planned.error());
    job.argv = std::move(planned->argv);
    job.directory = std::move(planned->directory);
    const auto exit = run_on_terminal(job);
    if (!exit) return tl::unexpected(exit.error());
    if (*exit == 0) return {};
    return fail(Reason::project,
                fmt::format("the sources cannot be prepared: {} ended with {}", job.argv.front(), *exit));
  }

  TerminalJob job_in(const JobFolders& folders, const StagedJob& staged) const {
    TerminalJob job;
    job.argv = std::get<RunStep>(spec_.steps.front()).argv;
    job.environment = environment_for(spec_, name(), globals_.words.empty());
    if (staged.no_libraries) clear_library_path(job.environment);
    const auto build = folders.directory(spec_, "build");
    job.directory = bare() ? build : std::string(kInsideBuild);
    if (bare()) return job;
    SandboxPlan sandbox;
    sandbox.build = build;
    sandbox.install = folders.directory(spec_, "install");
    sandbox.uid = spec_.uid;
    sandbox.user_namespaces = spec_.user_namespaces;
    sandbox.network = spec_.network;
    sandbox.inputs = staged.inputs;
    sandbox.staged = spec_.sandbox == SandboxRoot::staged;
    job.sandbox = std::move(sandbox);
    return job;
  }

  const ShellOptions& options_;
  const Globals& globals_;
  const OpenedProject& opened_;
  store::Store& store_;
  BuildPlan& plan_;
  ElementId target_;
  JobSpec spec_;
  std::string work_;  // of the element, with a sandbox
  std::optional<KeptBuild> kept_;
  std::optional<ShellFolder> folder_;
  store::KeyLock bare_lock_;
  std::optional<BareFolder> bare_folder_;  // goes before its lock
};

int open_shell(const ShellOptions& options, const Globals& globals) {
  const auto element = open_element(globals, options.element, options.sandbox, "shell of", TrustStage::run);
  if (!element) return element.error();
  // A key needs the refs of all that goes into it.
  if (const auto told =
          tell_unpinned(*element->opened, *element->planned, element->planned->plan->planned_elements()))
    return *told;
  const auto exit =
      Shell(options, globals, *element->opened, *element->store.store, element->plan(), element->target)
          .run();
  return exit ? *exit : tell(exit.error());
}

}  // namespace

Run add_shell_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<ShellOptions>();
  command.add_word("element", &options->element, "ELEMENT", "its name").required();
  command.add_flag("--failed", &options->failed, "in the files that its last build left when it failed");
  add_sandbox_option(command, options->sandbox, "as it is to be built");
  command.runs_others();
  command.explain(
      "With the sources, the dependencies and the environment that the build of the element has. Behind "
      "-- a command and its "
      "words, without one a shell. Exits with the exit code of what was run.",
      "weir shell app\nweir shell app -- make -n\nweir shell app --failed");
  return [options, &globals] { return open_shell(*options, globals); };
}

}  // namespace weir::cli
