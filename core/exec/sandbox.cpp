#include "core/exec/sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace weir {
namespace {

constexpr std::string_view kFromEtc[] = {
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "group",
    "host.conf",
    "hosts",
    "java-17-openjdk",
    "java-21-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "protocols",
    "services",
    "ssl",
};

class Command {
 public:
  explicit Command(std::string_view program) { add({program}); }
  void add(std::initializer_list<std::string_view> words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }
  template <class... Words>
  void option(const Words&... words) {
    add({std::string_view(words)...});
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

std::string link_target(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::read_symlink(path, ignored).string();
}

// /bin, /lib, ... are links into /usr on a merged system and directories on an older one.
void add_top_level(Command& command) {
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    char target[256];
    const auto size = ::readlink(name, target, sizeof target);
    if (size > 0) command.option("--symlink", std::string(target, static_cast<std::size_t>(size)), name);
    else command.option("--ro-bind-try", name, name);
  }
}

void add_namespaces(Command& command, const SandboxPlan& plan) {
  command.option("--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                 "--unshare-cgroup-try", "--as-pid-1");
  // Run by root, bubblewrap would leave the job all capabilities of its namespace, and with them every mount
  // in it.
  command.option("--cap-drop", "ALL");
  // weir-init gives them up before each job.
  if (plan.serves) command.option("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP");
  // Without it the kernel lets nothing map root into a namespace below. File capabilities, which it is for,
  // the filter refuses then.
  if (plan.user_namespaces && plan.uid == 0) command.option("--cap-add", "CAP_SETFCAP");
  if (!plan.network) command.option("--unshare-net");
  command.option("--uid", std::to_string(plan.uid), "--gid", std::to_string(plan.uid), "--hostname", "weir");
  command.option("--json-status-fd", std::to_string(plan.status_fd), "--clearenv");
}

void add_host_root(Command& command, const SandboxPlan& plan) {
  command.option("--ro-bind", "/usr", "/usr");
  add_top_level(command);
  for (const auto name : kFromEtc) {
    const auto path = "/etc/" + std::string(name);
    command.option("--ro-bind-try", path, path);
  }
  if (plan.network) command.option("--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf");
  command.option("--dir", "/var", "--dir", "/run");
}

// Entry by entry: a root that is bound as a whole would be read-only before the places for /proc and /build
// are made.
void add_staged_root(Command& command, const SandboxPlan& plan) {
  constexpr std::string_view kOwn[] = {"proc",    "dev",    "tmp",        "build",
                                       "install", "source", ".weir-init", ".weir"};
  for (const auto& input : plan.inputs) {
    if (input.inside != "/") continue;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(input.real, ignored)) {
      const auto name = entry.path().filename().string();
      if (std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn)) continue;
      const auto real = entry.path().string();
      if (entry.is_symlink(ignored)) command.option("--symlink", link_target(real), "/" + name);
      else command.option("--ro-bind", real, "/" + name);
    }
  }
}

// If root runs weir, the job is root for the kernel: its settings are guarded by that alone, not by a
// capability.
void add_proc(Command& command) {
  command.option("--proc", "/proc");
  for (const char* path : {"/proc/sys", "/proc/sysrq-trigger"}) command.option("--ro-bind-try", path, path);
  // It names the user's keys.
  if (::access(init::kKeys, F_OK) == 0) command.option("--dev-bind", "/dev/null", init::kKeys);
}

// What is private and can be written to; a job finds it empty.
std::vector<std::string_view> own_folders(const SandboxPlan& plan) {
  std::vector<std::string_view> folders = {"/tmp", "/dev/shm"};
  if (!plan.staged) folders.push_back("/var/tmp");
  return folders;
}

// `path` below `folder`, as it is below `inside`; empty: it is not there.
std::string moved(const std::string& path, const std::string& folder, std::string_view inside) {
  if (folder.empty() || !path.starts_with(folder + "/")) return {};
  return std::string(inside) + path.substr(folder.size());
}

// A sandbox that serves: places for what is each job's own, and where that comes from.
void add_served(Command& command, const SandboxPlan& plan) {
  for (const auto& input : plan.inputs)
    if (input.inside != "/") command.option("--dir", input.inside);
  command.option("--dir", kInsideBuild, "--dir", kInsideInstall);
  command.option("--proc", init::kHiddenProc, "--bind", plan.serves->work, init::kHiddenWork);
  command.option("--ro-bind", plan.serves->stage, init::kHiddenStage);
}

void add_directory(Command& command, const std::string& real, std::string_view inside) {
  if (!real.empty()) command.option("--bind", real, inside);
}

std::int64_t json_number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == text.npos) return 0;
  std::int64_t value = 0;
  bool begun = false;
  for (const char c : text.substr(at + key.size())) {
    if (c >= '0' && c <= '9') {
      value = value * 10 + (c - '0');
      begun = true;
    } else if (begun) {
      return value;
    }
  }
  return 0;  // cut off: the number may go on
}

}  // namespace

std::vector<std::string> bwrap_command(const SandboxPlan& plan) {
  Command command(plan.bwrap);
  add_namespaces(command, plan);
  plan.staged ? add_staged_root(command, plan) : add_host_root(command, plan);
  add_proc(command);
  command.option("--dev", "/dev");
  for (const auto folder : own_folders(plan)) command.option("--tmpfs", folder);
  command.option("--remount-ro", "/dev");
  // A job sees the same, empty, whether its sandbox serves others or not.
  command.option("--dir", WEIR_HIDDEN, "--dir", init::kHiddenWork, "--dir", init::kHiddenStage, "--dir",
                 init::kHiddenProc);
  if (plan.serves) {
    add_served(command, plan);
  } else {
    for (const auto& input : plan.inputs)
      if (input.inside != "/") command.option("--ro-bind", input.real, input.inside);
    add_directory(command, plan.build, kInsideBuild);
    add_directory(command, plan.install, kInsideInstall);
    add_directory(command, plan.source, kInsideSource);
    if (!plan.jobserver.empty()) command.option("--bind", plan.jobserver, kInsideJobserver);
  }
  command.option("--ro-bind", plan.init, kInsideInit, "--remount-ro", "/", "--", kInsideInit);
  return command.take();
}

// As root of its namespace only, since nobody else would keep the capability to mount; what a network or a
// fifo brings is the job's alone.
bool can_be_served(const SandboxPlan& plan, const ServedFolders& folders) {
  if (plan.uid != 0 || plan.network || !plan.source.empty() || !plan.jobserver.empty()) return false;
  const auto is_hidden = [&](const StagedInput& input) {
    return input.inside == "/" || !moved(input.real, folders.stage, "/").empty();
  };
  return !moved(plan.build, folders.work, "/").empty() && !moved(plan.install, folders.work, "/").empty() &&
         std::all_of(plan.inputs.begin(), plan.inputs.end(), is_hidden);
}

std::string shape_of(const SandboxPlan& plan) {
  std::string shape = plan.staged ? "staged" : "host";
  if (plan.user_namespaces) shape += " with user namespaces";
  for (const auto& input : plan.inputs)
    shape.append("\n").append(input.inside).append(input.inside == "/" ? input.real : "");
  return shape;
}

std::vector<InitMount> mounts_of(const SandboxPlan& plan, const ServedFolders& folders) {
  std::vector<InitMount> mounts;
  for (const auto folder : own_folders(plan)) mounts.push_back({"", std::string(folder)});
  for (const auto& input : plan.inputs)
    if (input.inside != "/")
      mounts.push_back({moved(input.real, folders.stage, init::kHiddenStage), input.inside});
  mounts.push_back({moved(plan.build, folders.work, init::kHiddenWork), std::string(kInsideBuild)});
  mounts.push_back({moved(plan.install, folders.work, init::kHiddenWork), std::string(kInsideInstall)});
  return mounts;
}

std::string find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto file = std::string(rest.substr(0, end)) + "/" + std::string(name);
    if (end > 0 && ::access(file.c_str(), X_OK) == 0) return file;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

SandboxStatus parse_sandbox_status(std::string_view json_lines) {
  return {json_number_after(json_lines, "\"child-pid\""),
          json_lines.find("\"exit-code\"") != json_lines.npos};
}

}  // namespace weir
