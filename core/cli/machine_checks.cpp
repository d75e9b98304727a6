#include "core/cli/machine_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/base/fd.h"
#include "core/base/text.h"
#include "core/cli/try_sandbox.h"
#include "core/exec/companion.h"
#include "core/exec/process_limit.h"
#include "core/exec/sandbox.h"
#include "core/exec/spawn.h"
#include "core/exec/tree_control.h"
#include "resources/probe.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

using Level = Finding::Level;

constexpr auto kSandboxLimit = std::chrono::seconds(10);
// A small project's sources and results; below the first nothing can be built, below the second not much.
constexpr std::uint64_t kTooLittleSpace = 64ULL << 20;
constexpr std::uint64_t kLittleSpace = 1ULL << 30;

Finding check_bubblewrap(Level if_missing) {
  const auto bwrap = find_program("bwrap");
  if (bwrap.empty())
    return {if_missing, "bubblewrap", "bwrap is not in PATH",
            "install the package bubblewrap, or build with --sandbox none"};
  const auto tried = try_sandbox(bwrap, kSandboxLimit);
  if (tried) return {Level::ok, "bubblewrap", bwrap + " runs", {}};
  return {if_missing, "bubblewrap", tried.error().message, tried.error().remedy};
}

Finding check_user_namespaces(Level if_missing) {
  if (can_unshare(CLONE_NEWUSER)) return {Level::ok, "user-namespaces", "can be had", {}};
  return {if_missing, "user-namespaces", "this machine does not allow them, and the sandbox needs them",
          "set the sysctls user.max_user_namespaces and kernel.unprivileged_userns_clone, or build with "
          "--sandbox none"};
}

Finding check_filter(Level if_missing) {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
    return {if_missing, "sandbox-filter", "this kernel has no filters of system calls (seccomp)",
            "use a kernel with CONFIG_SECCOMP_FILTER, or build with --sandbox none"};
  return {Level::ok,
          "sandbox-filter",
          fmt::format("a job may have {} processes, and user namespaces with `user-namespaces = true` in "
                      "[sandbox]; docs/sandbox.md lists the system calls that are refused",
                      most_processes_of_a_job()),
          {}};
}

Finding check_pid_namespace() {
  if (can_unshare(CLONE_NEWPID) || can_unshare(CLONE_NEWUSER | CLONE_NEWPID))
    return {Level::ok, "pid-namespace", "can be had", {}};
  return {Level::warning, "pid-namespace",
          "cannot be had: what a job leaves running is only found by searching /proc",
          "allow user namespaces, or run weir as root"};
}

Finding check_cgroup() {
  if (CgroupPool::open()) return {Level::ok, "cgroup", "a cgroup v2 of its own can be made for each job", {}};
  return {Level::warning, "cgroup",
          "no writable cgroup v2: signals pause and end jobs, memory has no limit per job",
          "run weir by `systemd-run --user --scope -p Delegate=yes weir ...`"};
}

Finding check_init() {
  const auto found = find_companion("weir-init");
  if (!found.empty()) return {Level::ok, "weir-init", fs::path(found).lexically_normal().string(), {}};
  return {Level::wrong, "weir-init", "is not beside the weir program, and every job needs it",
          "install weir again"};
}

// A package of its own, which projects without downloads do without.
Finding check_transfer() {
  const auto found = find_companion("weir-transfer");
  if (!found.empty()) return {Level::ok, "weir-transfer", fs::path(found).lexically_normal().string(), {}};
  return {Level::warning, "weir-transfer", "not installed: sources cannot be downloaded or unpacked",
          "install the package weir-transfer, or run `cmake/build-all` in the source tree of weir"};
}

Finding check_git() {
  const auto git = find_program("git");
  if (!git.empty()) return {Level::ok, "git", git, {}};
  return {Level::warning, "git", "is not in PATH: sources of kind git cannot be fetched",
          "install the package git"};
}

Finding check_hardware() {
  const auto machine = probe_machine();
  return {Level::ok,
          "machine",
          fmt::format("{} cores, {} of memory, {} of it free; jobs get all but {}", machine.cores,
                      format_bytes(machine.memory), format_bytes(machine.available),
                      format_bytes(memory_reserve(machine.memory))),
          {}};
}

// What is there of a path that may not have been made yet.
fs::path existing_part(fs::path path) {
  std::error_code ignored;
  while (path.has_parent_path() && path != path.parent_path() && !fs::exists(path, ignored))
    path = path.parent_path();
  return path;
}

// By doing it: access() says nothing of a file system that is mounted read-only for root, or of a full one.
int error_of_writing(const fs::path& folder) {
  auto name = (folder / ".weir-doctor-XXXXXX").string();
  const UniqueFd file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return errno;
  ::unlink(name.c_str());
  return write_all(file.get(), "weir") ? 0 : errno;
}

Finding check_cache(const std::string& cache) {
  const auto folder = existing_part(cache);
  const auto* const elsewhere = "set cache.dir or WEIR_CACHE_DIR to a folder that you may write to";
  if (const int error = error_of_writing(folder))
    return {Level::wrong, "cache",
            fmt::format("cannot write to {}: {}", folder.string(), std::strerror(error)), elsewhere};
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return {Level::warning, "cache", "free space is not known", {}};
  const auto free = std::uint64_t{info.f_bavail} * info.f_frsize;
  const auto message = fmt::format("{} {}, {} free", cache, folder == cache ? "is writable" : "can be made",
                                   format_bytes(free));
  if (free >= kLittleSpace) return {Level::ok, "cache", message, {}};
  return {free < kTooLittleSpace ? Level::wrong : Level::warning, "cache", message,
          "`weir cache gc --quota SIZE` makes room, or set cache.dir to another disk"};
}

}  // namespace

std::string_view to_text(Level level) {
  constexpr std::string_view kNames[] = {"ok", "warning", "wrong"};
  return kNames[static_cast<std::size_t>(level)];
}

std::vector<Finding> check_machine(const Settings& settings) {
  const auto if_no_sandbox = settings.sandbox.value == SandboxRoot::none ? Level::warning : Level::wrong;
  return {check_hardware(),
          check_bubblewrap(if_no_sandbox),
          check_user_namespaces(if_no_sandbox),
          check_filter(if_no_sandbox),
          check_pid_namespace(),
          check_cgroup(),
          check_init(),
          check_transfer(),
          check_cache(settings.cache_dir.value),
          check_git()};
}

}  // namespace weir::cli
