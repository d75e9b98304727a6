#include "core/exec/hook_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "core/exec/await_child.h"

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

}  // namespace

Status run_hook_command(const std::string& command, const std::string& directory, std::string_view event,
                        Duration timeout) {
  auto input = input_of(event);
  if (!input) return tl::unexpected(input.error());
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!null) return fail_errno("opening /dev/null");
  const int fds[] = {input->get(), null.get(), null.get()};
  std::string words[] = {"sh", "-c", command};
  char* const argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  SpawnRequest request;
  request.path = "/bin/sh";
  request.directory = directory.c_str();
  request.argv = argv;
  request.environment = environ;
  request.fds = fds;
  const auto child = spawn(request);
  if (child.stage != SpawnStage::none) return fail_errno("starting the hook " + command, child.error);
  const auto end = await_child(child, timeout);
  if (!end.in_time)
    return fail(Reason::resources, fmt::format("the hook {} took too long and was killed", command));
  if (!end.good()) return fail(Reason::system, fmt::format("the hook {} ended with {}", command, end.status));
  return {};
}

}  // namespace weir
