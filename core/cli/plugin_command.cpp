// weir plugin: list, make and check plugins.
#include <memory>

#include "core/cli/command.h"
#include "core/cli/plugin_check.h"
#include "core/cli/plugin_list.h"
#include "core/cli/plugin_new.h"
#include "core/cli/subcommands.h"

namespace weir::cli {

namespace {

struct PluginOptions {
  bool json = false;
  std::string file;
  std::string config;
  PluginNewOptions made;
};

}  // namespace

Run add_plugin_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<PluginOptions>();
  Subcommands commands(command, globals);
  auto& list = commands.add("list", "kinds with the libraries that they are in, and why some cannot be used",
                            [options, &globals] { return run_plugin_list(globals, options->json); });
  auto& made = commands.add("new", "a folder with a plugin that builds, passes its tests and loads as it is",
                            [options, &globals] { return new_plugin(options->made, globals); });
  auto& check = commands.add(
      "check", "try a plugin: its file, its tables and every question of its kinds", [options, &globals] {
        return run_plugin_check(globals, options->file, options->config, options->json);
      });
  for (auto* with_json : {&list, &check})
    with_json->add_flag("--json", &options->json, "as JSON, for programs");
  made.add_word("name", &options->made.name, "NAME", "of the kind, and of the folder: a-z, 0-9 and -")
      .required();
  made.add_option("--type", &options->made.type, "TYPE", "what it is a kind of")
      .one_of({"element", "source", "queue", "remote", "allocator", "placer"});
  check.add_word("file", &options->file, "FILE", "its library").required();
  check.add_option("--config", &options->config, "JSON",
                   "a configuration that is right, instead of the plugin's example");
  command.explain(
      "",
      "weir plugin list\nweir plugin new mykind --type element\nweir plugin check build/element-mykind.so");
  return commands.chosen();
}

}  // namespace weir::cli
