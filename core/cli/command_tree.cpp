#include "core/cli/command_tree.h"

#include <map>

#include "core/cli/args.h"
#include "core/cli/command.h"

namespace weir::cli {

struct CommandTree::Parts {
  Command root{"weir", "build what a project describes, each thing once"};
  Globals globals;
  std::map<std::string, Run> runs;
  CommandHelp help;
};

namespace {

void add_global_options(Command& command, Globals& globals) {
  command.add_option("-C", &globals.directory, "DIR", "work in this folder");
  command.add_flag("-q,--quiet", &globals.quiet, "say only what went wrong");
  command.add_flag("-v,--verbose", &globals.verbose, "say also what was skipped and what waits");
  command.exclude("--quiet", "--verbose");
  command.add_option("--color", &globals.color, "WHEN", "when to use colors")
      .one_of({"auto", "always", "never"});
  command.add_flag("--trust", &globals.trust, "trust the project for this command");
  command.add_flag("-h,--help", nullptr, "say what weir, or a command, can do");
  command.add_flag("--version", nullptr, "say which weir this is");
}

}  // namespace

CommandTree::CommandTree(std::string_view only) : parts_(std::make_unique<Parts>()) {
  auto& root = parts_->root;
  add_global_options(root, parts_->globals);
  const auto add = [&](const char* group, const char* name, const char* what,
                       Run (*make)(Command&, const Globals&)) {
    if (!only.empty() && only != name) return;
    parts_->runs.emplace(name, make(root.add_command(name, what, group), parts_->globals));
  };
  constexpr const char* kBuild = "Make and build";
  add(kBuild, "init", "make a project of what is in a folder, or of a template", add_init_command);
  add(kBuild, "build", "fetch and build elements with all they depend on", add_build_command);
  add(kBuild, "test", "build elements and run their tests", add_test_command);
  add(kBuild, "checkout", "write what was built to a folder or an archive", add_checkout_command);
  add(kBuild, "shell", "a shell, or a command, where an element is built", add_shell_command);
  constexpr const char* kMove = "Sources and artifacts";
  add(kMove, "track", "find out the newest refs of sources and keep them in weir.lock", add_track_command);
  add(kMove, "fetch", "bring the sources of elements here", add_fetch_command);
  add(kMove, "pull", "bring artifacts from remotes here", add_pull_command);
  add(kMove, "push", "give artifacts to remotes", add_push_command);
  constexpr const char* kLook = "Look and ask";
  add(kLook, "show", "how elements stand: cached, buildable, waiting, failed", add_show_command);
  add(kLook, "why", "why an element has to be built, or was built last", add_why_command);
  add(kLook, "graph", "who depends on whom, as dot, mermaid or JSON", add_graph_command);
  add(kLook, "runs", "what was run in this project", add_runs_command);
  add(kLook, "report", "a run as one HTML page, or as a trace", add_report_command);
  add(kLook, "log", "what the jobs of an element wrote", add_log_command);
  add(kLook, "ctl", "see and change a run that is under way", add_ctl_command);
  constexpr const char* kMachine = "Weir itself";
  add(kMachine, "cache", "see and look after the store", add_cache_command);
  add(kMachine, "plugin", "list, make and check plugins", add_plugin_command);
  add(kMachine, "trust", "show and allow what a project wants to do to this machine", add_trust_command);
  add(kMachine, "sim", "try placement on virtual time: loads, places, lanes, whole clusters",
      add_sim_command);
  add(kMachine, "doctor", "settings with where they come from, and whether this machine is fit",
      add_doctor_command);
  add(kMachine, "help", "what weir, or a command, can do", add_help_command);
  add(kMachine, "completion", "completion of commands, options and elements for a shell",
      add_completion_command);
  root.explain(
      "A project is a weir.toml that describes elements: what they are made of, how they are built, and "
      "what they depend on. "
      "`weir init` makes one, `weir build` builds it.",
      "weir init && weir build\nweir -C ../other show\nweir log                 # of what failed");
  parts_->help = root.help();
}

CommandTree::~CommandTree() = default;

const CommandHelp& CommandTree::help() const { return parts_->help; }

int CommandTree::run(const ReadWords& read) {
  parts_->root.assign(read);
  if (read.commands.size() > 2) parts_->globals.subcommand = read.command().name();
  parts_->globals.words = read.behind;
  return parts_->runs.at(read.commands[1]->name())();
}

}  // namespace weir::cli
