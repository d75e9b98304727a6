#include "core/exec/hook_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>

#include "core/exec/spawn.h"

extern "C" char** environ;

namespace weir {

namespace {

// A file in memory rather than a pipe: a hook that does not read its input cannot hold up the writer.
Result<UniqueFd> input_of(std::string_view event) {
  UniqueFd file(::memfd_create("weir-event", MFD_CLOEXEC));
  if (!file) return fail_errno("giving a hook its event");
  if (!write_all(file.get(), event)) return fail_errno("giving a hook its event");
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// True if it ended by itself in time.
bool wait_for(int pidfd, Duration timeout) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  pollfd waiting{pidfd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, static_cast<int>(milliseconds));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

Status run_hook_command(const std::string& command, std::string_view event, Duration timeout) {
  auto input = input_of(event);
  if (!input) return tl::unexpected(input.error());
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!null) return fail_errno("opening /dev/null");
  const int fds[] = {input->get(), null.get(), null.get()};
  std::string words[] = {"sh", "-c", command};
  char* const argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  SpawnRequest request;
  request.path = "/bin/sh";
  request.argv = argv;
  request.environment = environ;
  request.fds = fds;
  const auto child = spawn(request);
  if (child.stage != SpawnStage::none) return fail_errno("starting the hook " + command, child.error);
  const bool in_time = wait_for(child.pidfd.get(), timeout);
  if (!in_time) ::kill(-child.pid, SIGKILL);  // it leads a process group of its own
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED) < 0 && errno == EINTR) {
  }
  if (!in_time) return fail(Reason::resources, fmt::format("the hook {} took too long and was killed", command));
  if (info.si_code != CLD_EXITED || info.si_status != 0)
    return fail(Reason::system, fmt::format("the hook {} ended with {}", command, info.si_status));
  return {};
}

}  // namespace weir
