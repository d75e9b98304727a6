// A command of weir: adds itself to the command line and says what to run. One file per command;
// command_tree.cpp has the only list.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace weir::cli {

// What every command may be given.
struct Globals {
  std::string directory = ".";
  bool quiet = false;
  bool verbose = false;
  std::string color;               // auto, always or never; empty: as the settings say
  std::string subcommand;          // "stat" of `weir cache stat`
  std::vector<std::string> words;  // behind "--", for a command that runs others; never read as options
};

// Returns the exit code.
using Run = std::function<int()>;

Run add_build_command(CLI::App& app, const Globals& globals);
Run add_cache_command(CLI::App& app, const Globals& globals);
Run add_checkout_command(CLI::App& app, const Globals& globals);
Run add_completion_command(CLI::App& app, const Globals& globals);
Run add_ctl_command(CLI::App& app, const Globals& globals);
Run add_doctor_command(CLI::App& app, const Globals& globals);
Run add_fetch_command(CLI::App& app, const Globals& globals);
Run add_graph_command(CLI::App& app, const Globals& globals);
Run add_help_command(CLI::App& app, const Globals& globals);
Run add_init_command(CLI::App& app, const Globals& globals);
Run add_log_command(CLI::App& app, const Globals& globals);
Run add_plugin_command(CLI::App& app, const Globals& globals);
Run add_report_command(CLI::App& app, const Globals& globals);
Run add_runs_command(CLI::App& app, const Globals& globals);
Run add_shell_command(CLI::App& app, const Globals& globals);
Run add_pull_command(CLI::App& app, const Globals& globals);
Run add_push_command(CLI::App& app, const Globals& globals);
Run add_show_command(CLI::App& app, const Globals& globals);
Run add_sim_command(CLI::App& app, const Globals& globals);
Run add_test_command(CLI::App& app, const Globals& globals);
Run add_track_command(CLI::App& app, const Globals& globals);
Run add_why_command(CLI::App& app, const Globals& globals);

}  // namespace weir::cli
