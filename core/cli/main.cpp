#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "core/base/print.h"
#include "core/cli/command_line.h"
#include "core/cli/exit_codes.h"
#include "core/cli/outer_make.h"

namespace {

// Without them the next file that is opened would get their number, and messages with it.
void open_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) < 0) return;
}

// A reader that went away has seen enough; a full disk has lost what was asked for.
int with_output(int exit) {
  const int error = weir::finish_output();
  if (exit != weir::cli::kDone || error == 0 || error == EPIPE) return exit;
  weir::print(stderr, "weir: standard output could not be written: {}\n", std::strerror(error));
  return weir::cli::kInfrastructure;
}

}  // namespace

// What leaves this far by exception is a bug: expected outcomes are values everywhere else.
int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of write(), not the end of weir
  std::signal(SIGCHLD,
              SIG_DFL);  // where whoever started weir ignores it, the kernel would tell of no child's end
  try {
    open_standard_streams();
    weir::cli::find_outer_make();
    return with_output(weir::cli::run_command_line(argc, argv));
  } catch (const std::exception& error) {
    weir::print(stderr, "weir: this is a bug in weir: {}\n", error.what());
  } catch (...) {
    weir::print(stderr, "weir: this is a bug in weir: an unknown exception\n");
  }
  return weir::cli::kBug;
}
