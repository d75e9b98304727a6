#include "core/cli/plugin_template.h"

namespace weir::cli {

namespace {

constexpr std::string_view kRemote =
    R"code(// @kind@: shares artifacts through a folder that all who share it can reach.
//
//   [[remote]]
//   url = "@kind@:///srv/weir"
//   push = true
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

#include <weir/remote.hpp>

using namespace weir::sdk;

[[noreturn]] static void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

struct File {
  int fd;
  explicit File(int own) : fd(own) {}
  File(const File&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
};

// One object for a URL. weir calls it on any thread and does not wait: what takes time is done by a thread of its own.
class @Kind@Remote {
 public:
  static constexpr std::string_view kind = "@kind@";
  static constexpr std::uint32_t version = 1;
  // How the URLs begin that are its own.
  static constexpr std::string_view schemes = R"(["@kind@"])";
  // Operations that weir may give it at once. More than it works on, so that there is always a next one.
  static constexpr std::uint32_t at_once = 4;
  // What is right to open it with, for `weir plugin check`.
  static constexpr std::string_view example = R"({"url":"@kind@:///srv/weir"})";

  // Nothing is looked at yet: a folder that is not there is no reason to stop a build.
  @Kind@Remote(const RemoteSettings& settings, RemoteSink sink) : folder_(folder_of(settings.url)), sink_(sink) {}

  void submit(Operation operation) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(operation));
    news_.notify_one();
  }
  // Every operation ends exactly once. One that is not here has ended already.
  void cancel(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    if (number == running_) stopped_ = true;
    const bool waited = std::erase_if(waiting_, [&](const Operation& one) { return one.number == number; }) > 0;
    lock.unlock();
    if (waited) sink_.ended(number, Ended::cancelled());
  }

 private:
  using Path = std::filesystem::path;

  static Path folder_of(std::string_view url) {
    constexpr std::string_view kBegin = "@kind@:///";
    if (!url.starts_with(kBegin)) throw Refused{"the URL names no folder", "write it as in @kind@:///srv/weir", "url"};
    return url.substr(kBegin.size() - 1);
  }
  Path path_of(const Operation& operation, const BlobName& name) const {
    return folder_ / (operation.is_record() ? "records" : "blobs") / name.hash;
  }

  void work(std::stop_token closing) {
    std::unique_lock lock(mutex_);
    while (news_.wait(lock, closing, [&] { return !waiting_.empty(); })) {
      const auto operation = std::move(waiting_.front());
      waiting_.pop_front();
      running_ = operation.number;
      stopped_ = false;
      lock.unlock();
      sink_.ended(operation.number, end_of(operation));
      lock.lock();
    }
  }

  // No exception leaves the thread. What went wrong may go well later: weir tries it again, for as long as it has patience.
  Ended end_of(const Operation& operation) try {
    switch (operation.action) {
      case Action::has:
      case Action::has_record: return has(operation);
      case Action::get:
      case Action::get_record: return get(operation);
      case Action::put:
      case Action::put_record: return put(operation);
    }
    return Ended::refused("this is not known here");
  } catch (const std::exception& error) {
    return Ended::trouble(error.what());
  }

  Ended has(const Operation& operation) const {
    std::string there;
    for (const auto& name : operation.blobs) there += std::filesystem::exists(path_of(operation, name)) ? '1' : '0';
    return Ended::found(there);
  }

  // weir looks at every byte before it is used: whether it is the right file is not asked here.
  Ended get(const Operation& operation) {
    const auto path = path_of(operation, operation.blob());
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.fd < 0 && errno == ENOENT) return Ended::missing();
    if (file.fd < 0) fail(path);
    return copy(operation, file.fd, operation.fd);
  }

  // Under a name of its own until it is whole: others see all of it or nothing.
  Ended put(const Operation& operation) {
    const auto path = path_of(operation, operation.blob());
    std::filesystem::create_directories(path.parent_path());
    auto temporary = path.string() + ".XXXXXX";
    const File file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.fd < 0) fail(temporary);
    try {
      const auto end = copy(operation, operation.fd, file.fd);
      if (end.outcome != WEIR_REMOTE_DONE) return ::unlink(temporary.c_str()), end;
      if (::fchmod(file.fd, 0644) != 0 || ::fsync(file.fd) != 0) fail(temporary);
      std::filesystem::rename(temporary, path);
      return end;
    } catch (...) {
      ::unlink(temporary.c_str());
      throw;
    }
  }

  // Tells how far it is, so that weir sees that it goes on.
  Ended copy(const Operation& operation, int from, int to) {
    std::vector<char> block(1 << 18);
    for (std::uint64_t at = 0; at < operation.bytes();) {
      if (stopped_) return Ended::cancelled();
      const auto most = std::min<std::uint64_t>(block.size(), operation.bytes() - at);
      const auto got = ::pread(from, block.data(), most, static_cast<off_t>(at));
      if (got < 0) fail("read");
      if (got == 0) break;
      const auto written = ::pwrite(to, block.data(), static_cast<std::size_t>(got), static_cast<off_t>(at));
      if (written <= 0) fail("write");
      at += static_cast<std::uint64_t>(written);
      sink_.moved(operation.number, at);
    }
    return Ended::done();
  }

  const Path folder_;
  const RemoteSink sink_;
  std::mutex mutex_;
  std::condition_variable_any news_;
  std::deque<Operation> waiting_;
  std::uint64_t running_ = 0;
  std::atomic<bool> stopped_ = false;
  // Last, so that it begins when all else is there, and is the first to end.
  std::jthread worker_{[this](std::stop_token closing) { work(closing); }};
};

WEIR_PLUGIN("@kind@-plugin", "0.1", remote<@Kind@Remote>())
)code";

constexpr std::string_view kRemoteProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["hello"]

# CMake writes the folder of the build here.
[[remote]]
url = "@kind@://${CMAKE_CURRENT_BINARY_DIR}/remote"
push = true

[element.hello]
kind = "script"
config.commands = ["mkdir -p $WEIR_OUT/share", "echo Hello. > $WEIR_OUT/share/hello.txt"]
)";

constexpr std::string_view kConfigureExample = R"(
# The example says where the remote is: in a folder of this build.
configure_file(example/weir.toml.in example/weir.toml)
)";

}  // namespace

PluginTemplate remote_template() { return {kRemote, kRemoteProject, " --trust", kConfigureExample, true}; }

}  // namespace weir::cli
