// A command of weir: adds itself to the command line and says what to run. One file per command;
// command_tree.cpp has the only list.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace weir::cli {

class Command;  // core/cli/args.h

// What every command may be given.
struct Globals {
  std::string directory = ".";
  bool quiet = false;
  bool verbose = false;
  bool trust = false;
  std::string color;               // auto, always or never; empty: as the settings say
  std::string subcommand;          // "stat" of `weir cache stat`
  std::vector<std::string> words;  // behind "--", for a command that runs others; never read as options
};

// Returns the exit code.
using Run = std::function<int()>;

Run add_build_command(Command& command, const Globals& globals);
Run add_cache_command(Command& command, const Globals& globals);
Run add_checkout_command(Command& command, const Globals& globals);
Run add_completion_command(Command& command, const Globals& globals);
Run add_ctl_command(Command& command, const Globals& globals);
Run add_doctor_command(Command& command, const Globals& globals);
Run add_fetch_command(Command& command, const Globals& globals);
Run add_graph_command(Command& command, const Globals& globals);
Run add_help_command(Command& command, const Globals& globals);
Run add_init_command(Command& command, const Globals& globals);
Run add_log_command(Command& command, const Globals& globals);
Run add_plugin_command(Command& command, const Globals& globals);
Run add_report_command(Command& command, const Globals& globals);
Run add_runs_command(Command& command, const Globals& globals);
Run add_shell_command(Command& command, const Globals& globals);
Run add_pull_command(Command& command, const Globals& globals);
Run add_push_command(Command& command, const Globals& globals);
Run add_show_command(Command& command, const Globals& globals);
Run add_sim_command(Command& command, const Globals& globals);
Run add_test_command(Command& command, const Globals& globals);
Run add_trust_command(Command& command, const Globals& globals);
Run add_track_command(Command& command, const Globals& globals);
Run add_why_command(Command& command, const Globals& globals);

}  // namespace weir::cli
