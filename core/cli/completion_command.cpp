// weir completion: scripts for shells, and what they ask while a line is written.
#include <CLI/CLI.hpp>
#include <memory>

#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/cli/completion_scripts.h"
#include "core/cli/element_names.h"
#include "core/cli/exit_codes.h"
#include "core/cli/help_files.h"
#include "core/cli/read_help.h"
#include "core/cli/subcommands.h"
#include "core/cli/tell.h"

namespace weir::cli {

namespace {

struct CompletionOptions {
  std::string directory, prefix;
};

int print_names(const std::string& directory, const std::string& prefix) {
  for (const auto& name : element_names(directory))
    if (name.starts_with(prefix)) weir::print("{}\n", name);
  return kDone;
}

}  // namespace

Run add_completion_command(CLI::App& app, const Globals& globals) {
  const auto options = std::make_shared<CompletionOptions>();
  auto& root = *app.get_parent();
  Subcommands commands(app, globals);
  const auto add_shell = [&](const char* shell, const char* what, std::string (*script)(const CommandHelp&),
                             const char* example) {
    auto* command = commands.add(shell, what, [&root, script] {
      weir::print("{}", script(read_help(root)));
      return kDone;
    });
    explain(*command, "", example);
  };
  add_shell("bash", "a script for bash", bash_completion, "source <(weir completion bash)");
  add_shell("zsh", "a script for zsh", zsh_completion,
            "source <(weir completion zsh)                # behind compinit");
  add_shell("fish", "a script for fish", fish_completion, "weir completion fish | source");
  auto* files = commands.add("files", "scripts and manual pages as files, where an installation has them",
                             [options, &root] {
                               const auto written = write_help_files(read_help(root), options->directory);
                               return written ? kDone : tell(written.error());
                             });
  files->add_option("directory", options->directory, "the prefix: they go into share/ below it")
      ->type_name("DIR")
      ->required();
  explain(*files, "", "weir completion files ~/.local");
  // For the scripts alone.
  auto* elements = commands.add("elements", "names of elements, for the scripts", [options, &globals] {
    return print_names(globals.directory, options->prefix);
  });
  elements->group("");
  elements->add_option("prefix", options->prefix, "what they begin with")->type_name("TEXT");
  explain(app,
          "An installation of weir brings the scripts and the shells find them by themselves; where weir is "
          "not installed, a line in "
          "the shell's own start-up file does the same.",
          "source <(weir completion bash)               # in ~/.bashrc\nweir completion files ~/.local       "
          "        # for this user");
  return commands.chosen();
}

}  // namespace weir::cli
