// weir plugin: what has to do with plugins as such.
#include <CLI/CLI.hpp>
#include <memory>

#include "core/cli/command.h"
#include "core/cli/plugin_new.h"

namespace weir::cli {

Run add_plugin_command(CLI::App& app, const Globals& globals) {
  const auto made = std::make_shared<PluginNewOptions>();
  app.require_subcommand(0, 1);
  auto* add = app.add_subcommand("new", "a folder with a plugin that builds, passes its tests and loads as it is");
  add->add_option("name", made->name, "of the kind, and of the folder: a-z, 0-9 and -")->type_name("NAME")->required();
  add->add_option("--type", made->type, "element, source, queue, remote or placement")->type_name("TYPE");
  return [made, &globals] { return new_plugin(*made, globals); };
}

}  // namespace weir::cli
