#include "core/cli/try_sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>

#include "core/base/text.h"
#include "core/exec/sandbox.h"
#include "core/exec/spawn.h"
#include "core/report/plain.h"

extern "C" char** environ;

namespace weir::cli {

namespace {

constexpr int kStatusFd = 3;

std::vector<std::string> command_of(const std::string& bwrap) {
  SandboxPlan plan;
  plan.bwrap = bwrap;
  // In the place of weir-init, which would wait for its plan.
  const auto nothing = find_program("true");
  plan.init = nothing.empty() ? "/usr/bin/true" : nothing;
  plan.status_fd = kStatusFd;
  return bwrap_command(plan);
}

Spawned start(const std::string& bwrap, int null, int errors) {
  auto words = command_of(bwrap);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int fds[] = {null, null, errors, null};
  SpawnRequest request;
  request.path = bwrap.c_str();
  request.argv = argv.data();
  request.environment = environ;
  request.fds = fds;
  return spawn(request);
}

bool ends_within(int pidfd, Duration limit) {
  pollfd waiting{pidfd, POLLIN, 0};
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, static_cast<int>(milliseconds));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool succeeded(pid_t pid) {
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) < 0 && errno == EINTR) {
  }
  return info.si_code == CLD_EXITED && info.si_status == 0;
}

std::string first_line_of(int file) {
  char text[300];
  const auto size = ::pread(file, text, sizeof text, 0);
  const auto said = strip_control({text, size > 0 ? static_cast<std::size_t>(size) : 0});
  return said.substr(0, said.find('\n'));
}

}  // namespace

Status try_sandbox(const std::string& bwrap, Duration limit) {
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const UniqueFd errors(::memfd_create("weir-sandbox-errors", MFD_CLOEXEC));
  if (!null || !errors) return fail_errno("trying bubblewrap");
  const auto child = start(bwrap, null.get(), errors.get());
  if (child.stage != SpawnStage::none) return fail_errno("starting " + bwrap, child.error);
  const bool in_time = ends_within(child.pidfd.get(), limit);
  if (!in_time) ::kill(-child.pid, SIGKILL);  // it leads a process group of its own
  const bool good = succeeded(child.pid);
  const auto* const remedy = "it needs user namespaces; without a sandbox: weir build --sandbox none";
  if (!in_time)
    return fail(Reason::system, fmt::format("{} came to no end in {}", bwrap, format_duration(limit)), remedy);
  if (good) return {};
  return fail(Reason::system, fmt::format("{} cannot make a sandbox: {}", bwrap, first_line_of(errors.get())), remedy);
}

}  // namespace weir::cli
