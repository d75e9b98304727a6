#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "core/cli/command_line.h"
#include "core/cli/exit_codes.h"

// What leaves this far by exception is a bug: expected outcomes are values everywhere else.
int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of write(), not the end of weir
  try {
    return weir::cli::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "weir: this is a bug in weir: {}\n", error.what());
  } catch (...) {
    fmt::print(stderr, "weir: this is a bug in weir: an unknown exception\n");
  }
  return weir::cli::kBug;
}
