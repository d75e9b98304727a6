#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "core/base/print.h"
#include "core/cli/command_line.h"
#include "core/cli/exhaustion.h"
#include "core/cli/exit_codes.h"
#include "core/cli/outer_make.h"
#include "core/cli/tell.h"

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
  weir::print(stderr, "weir: standard output could not be written: {}\n  {}\n", std::strerror(error),
              error == EFBIG ? "raise the limit on the size of files (`ulimit -f`)"
                             : "make room there, or write it elsewhere");
  return weir::cli::kInfrastructure;
}

}  // namespace

// An exception that comes this far is a bug or a lack of memory, threads or files: expected outcomes are
// values everywhere else.
int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of write(), not the end of weir
  std::signal(SIGXFSZ, SIG_IGN);  // so is a limit on the size of files
  std::signal(SIGCHLD,
              SIG_DFL);  // where whoever started weir ignores it, the kernel would tell of no child's end
  weir::cli::end_threads_by_exception();
  try {
    open_standard_streams();
    if (const auto enough = weir::cli::check_stack(); !enough) {
      weir::cli::tell(enough.error());
      return weir::cli::kResources;
    }
    weir::cli::find_outer_make();
    return with_output(weir::cli::run_command_line(argc, argv));
  } catch (...) {
    return weir::cli::report_exception(std::current_exception());
  }
}
