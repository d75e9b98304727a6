// weir completion: scripts for shells, and what they ask while a line is written.
#include <memory>

#include "core/base/print.h"
#include "core/cli/command.h"
#include "core/cli/completion_scripts.h"
#include "core/cli/element_names.h"
#include "core/cli/exit_codes.h"
#include "core/cli/help_files.h"
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

Run add_completion_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<CompletionOptions>();
  const auto& root = command.root();
  Subcommands commands(command, globals);
  const auto add_shell = [&](const char* shell, const char* what, std::string (*script)(const CommandHelp&),
                             const char* example) {
    auto& added = commands.add(shell, what, [&root, script] {
      weir::print("{}", script(root.help()));
      return kDone;
    });
    added.explain("", example);
  };
  add_shell("bash", "a script for bash", bash_completion, "source <(weir completion bash)");
  add_shell("zsh", "a script for zsh", zsh_completion,
            "source <(weir completion zsh)                # behind compinit");
  add_shell("fish", "a script for fish", fish_completion, "weir completion fish | source");
  auto& files = commands.add("files", "scripts and manual pages as files, where an installation has them",
                             [options, &root] {
                               const auto written = write_help_files(root.help(), options->directory);
                               return written ? kDone : tell(written.error());
                             });
  files.add_word("directory", &options->directory, "DIR", "the prefix: they go into share/ below it")
      .required();
  files.explain("", "weir completion files ~/.local");
  // For the scripts alone.
  auto& elements = commands.add("elements", "names of elements, for the scripts", [options, &globals] {
    return print_names(globals.directory, options->prefix);
  });
  elements.hide();
  elements.add_word("prefix", &options->prefix, "TEXT", "what they begin with");
  command.explain(
      "An installation of weir brings the scripts and the shells find them by themselves; where weir is "
      "not installed, a line in "
      "the shell's own start-up file does the same.",
      "source <(weir completion bash)               # in ~/.bashrc\nweir completion files ~/.local       "
      "        # for this user");
  return commands.chosen();
}

}  // namespace weir::cli
