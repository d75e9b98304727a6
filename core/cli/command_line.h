// The command line: parses it, runs the command it names, and turns every mistake into one clear message and
// exit 2.
#pragma once

namespace weir::cli {

int run_command_line(int argc, char** argv);

}  // namespace weir::cli
