#include "tests/support/reapi_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace weir {

namespace {

namespace fs = std::filesystem;

const fs::path kJar = "/usr/share/bazel/A-server.jar";
const fs::path kSources = "/usr/src/bazel-bootstrap/src/tools/remote/src/main/java";
const fs::path kCompiler = "/usr/bin/javac";
const fs::path kJava = "/usr/bin/java";
constexpr std::string_view kMain = "com.google.devtools.build.remote.worker.RemoteWorker";

bool write_file(const char* path, const std::string& text) {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file && write_all(file.get(), text);
}

bool unshare_as_root() { return ::unshare(CLONE_NEWNET) == 0; }
// The same user and group inside, so that files look the same.
bool unshare_as_user() {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  return write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
         write_file("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

// As `ip link set lo up`, which is not everywhere.
bool bring_loopback_up() {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &loopback) != 0) return false;
  loopback.ifr_flags |= IFF_UP;
  return ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0;
}

sockaddr_in loopback_address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool answers(int port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto there = loopback_address(port);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
}

bool compile_into(const fs::path& folder) {
  std::vector<std::string> words{kCompiler, "-proc:none", "-nowarn", "-d", folder, "-cp", kJar};
  for (const auto& entry : fs::recursive_directory_iterator(kSources))
    if (entry.path().extension() == ".java") words.push_back(entry.path());
  return Program(words, {"PATH=/usr/bin:/bin"}).wait() == 0;
}

// Another jar, another folder.
std::string name_of_classes() {
  std::error_code ignored;
  return fmt::format("reapi-worker-{}-{}", fs::file_size(kJar, ignored),
                     fs::last_write_time(kJar, ignored).time_since_epoch().count());
}

// Tests run at the same time, each in its own process: what is there under its last name is whole.
fs::path compiled_in(const fs::path& parent) {
  const auto classes = parent / name_of_classes();
  if (fs::exists(classes)) return classes;
  std::string unfinished = parent / "reapi-worker-XXXXXX";
  std::error_code ignored;
  if (!::mkdtemp(unfinished.data()) || !compile_into(unfinished)) {
    fs::remove_all(unfinished, ignored);
    return {};
  }
  fs::rename(unfinished, classes, ignored);
  if (fs::exists(unfinished, ignored)) fs::remove_all(unfinished, ignored);  // another one was faster
  return classes;
}

// Empty if they cannot be compiled.
const fs::path& classes() {
  static const TemporaryFolder temporary;
  static const fs::path only = [] {
    std::error_code ignored;
    const auto beside = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    return compiled_in(::access(beside.c_str(), W_OK) == 0 ? beside : fs::path(temporary.path()));
  }();
  return only;
}

}  // namespace

std::string enter_private_network() {
  static const std::string problem = []() -> std::string {
    if (!unshare_as_root() && !unshare_as_user())
      return fmt::format("no network of its own for the test: {}", std::strerror(errno));
    if (!bring_loopback_up())
      return fmt::format("no loopback in the network of the test: {}", std::strerror(errno));
    return {};
  }();
  return problem;
}

int free_port_of_private_network() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto any = loopback_address(0);
  socklen_t size = sizeof any;
  ::bind(socket.get(), reinterpret_cast<sockaddr*>(&any), size);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&any), &size);
  return ntohs(any.sin_port);
}

std::string ReapiServer::why_not() {
  for (const auto& [file, package] :
       {std::pair(kJar, "bazel-bootstrap"), std::pair(kSources, "bazel-bootstrap-source"),
        std::pair(kCompiler, "default-jdk-headless"), std::pair(kJava, "default-jdk-headless")})
    if (!fs::exists(file))
      return fmt::format("{} is not there: it comes with Debian's {}", file.string(), package);
  return enter_private_network();
}

ReapiServer::ReapiServer() {
  if (!why_not().empty() || classes().empty()) return;
  port_ = free_port_of_private_network();
  fs::create_directories(folder_ / "cas");
  // To a file: a pipe that nobody reads would stop it.
  process_ = std::make_unique<Program>(
      std::vector<std::string>{"/bin/sh", "-c", R"(log=$1; shift; exec "$@" >"$log" 2>&1)", "sh",
                               folder_ / "log", kJava, "-XX:+UseSerialGC", "-cp",
                               classes().string() + ":" + kJar.string(), std::string(kMain),
                               fmt::format("--listen_port={}", port_), "--cas_path=" + (folder_ / "cas"),
                               "--work_path=" + (folder_ / "work")},
      std::vector<std::string>{"PATH=/usr/bin:/bin"});
  // A second, unless the machine has other things to do.
  eventually([&] { return process_->has_ended() || answers(port_); }, std::chrono::minutes(2));
  running_ = !process_->has_ended() && answers(port_);
}

std::uint64_t ReapiServer::uploading() const {
  std::uint64_t bytes = 0;
  std::error_code ignored;  // files come and go
  for (const auto& entry : fs::directory_iterator(folder_ / "work/upload", ignored))
    if (const auto size = entry.file_size(ignored); !ignored) bytes += size;
  return bytes;
}

std::string ReapiServer::url(const std::string& instance) const {
  return fmt::format("grpc://127.0.0.1:{}/{}", port_, instance);
}

}  // namespace weir
