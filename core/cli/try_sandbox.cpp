#include "core/cli/try_sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "core/base/text.h"
#include "core/exec/await_child.h"
#include "core/exec/sandbox.h"
#include "core/report/terminal_text.h"

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
  const auto end = await_child(child, limit);
  const auto* const remedy = "it needs user namespaces; without a sandbox: weir build --sandbox none";
  if (!end.in_time)
    return fail(Reason::system, fmt::format("{} came to no end in {}", bwrap, format_duration(limit)),
                remedy);
  if (end.good()) return {};
  return fail(Reason::system, fmt::format("{} cannot make a sandbox: {}", bwrap, first_line_of(errors.get())),
              remedy);
}

}  // namespace weir::cli
