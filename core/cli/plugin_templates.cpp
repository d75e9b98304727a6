#include "core/cli/plugin_templates.h"

#include <string_view>
#include <utility>

namespace weir::cli {

namespace {

constexpr std::string_view kBuild = R"(cmake_minimum_required(VERSION 3.20)
project(@kind@ CXX)

find_package(weir REQUIRED)
weir_add_plugin(plugin TYPE @type@ KIND @kind@ SOURCES @kind@.cpp)
target_compile_options(plugin PRIVATE -Wall -Wextra)
install(TARGETS plugin DESTINATION lib/weir/plugins)

enable_testing()
add_test(NAME check COMMAND weir::weir plugin check $<TARGET_FILE:plugin>)
)";

constexpr std::string_view kBuildExample = R"(
# The example, with the library that was just built and a store in which nothing is yet.
add_test(NAME empty-store COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_CURRENT_BINARY_DIR}/store@emptied@)
add_test(NAME example COMMAND weir::weir -C ${CMAKE_CURRENT_@where@_DIR}/example build@options@)
set_tests_properties(empty-store PROPERTIES FIXTURES_SETUP store)
set_tests_properties(example PROPERTIES FIXTURES_REQUIRED store
  ENVIRONMENT "WEIR_PLUGIN_PATH=$<TARGET_FILE_DIR:plugin>;WEIR_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/store")
)";

// A queue that was left out would not be missed otherwise.
constexpr std::string_view kExpectJob = R"(set_tests_properties(example PROPERTIES PASS_REGULAR_EXPRESSION "done +@kind@ hello")
)";

constexpr std::string_view kConfigureExample = R"(
# The example says where the remote is: in a folder of this build.
configure_file(example/weir.toml.in example/weir.toml)
)";

constexpr std::string_view kReadme = R"(# @kind@
A plugin of weir: the @type@ kind `@kind@`. @kind@.cpp is all of it.

    cmake -B build -DCMAKE_PREFIX_PATH=/where/weir/is/installed
    cmake --build build && ctest --test-dir build --output-on-failure
)";

constexpr std::string_view kReadmeExample = R"(
@folder@/ is a project that uses it:

    WEIR_PLUGIN_PATH=build weir -C @folder@ build@options@
)";

constexpr std::string_view kReadmeUse = R"(
To use it in all projects, copy build/@type@-@kind@.so to ~/.local/share/weir/plugins, or say `cmake --install build`, which
puts it below /usr/local/lib. A project that brings it along names its folder:

    [plugins]
    path = ["plugins"]

`weir plugin check build/@type@-@kind@.so` tries what a plugin has to hold to; docs/plugins.md of weir has the contract.
)";

constexpr std::string_view kElement = R"cpp(// @kind@: a text, kept as share/@kind@.txt.
//
//   [element.hello]
//   kind = "@kind@"
//   config.text = "Hello."
#include <weir/plugin.hpp>

using namespace weir::sdk;

struct @Kind@Element {
  static constexpr std::string_view kind = "@kind@";
  // Part of every key: raise it when the same configuration gives another result.
  static constexpr std::uint32_t version = 1;
  // Programs of the machine whose versions decide on the result.
  static constexpr std::string_view host_tools = R"(["sh"])";
  // A configuration that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"text":"Hello."})";

  // Asks for the keys that users may write, and refuses all others.
  static void resolve(ConfigReader& config) {
    if (config.text("text", "Hello.").empty()) config.complain("text", "\"text\" is empty", "leave it away, or write something");
  }
  // What weir is to run. What users wrote is a word of its own: no shell reads it as anything but text.
  static Plan plan(const ElementRequest& request) {
    Plan plan;
    plan.steps.run({"sh", "-e", "-c", R"(mkdir -p "$WEIR_OUT/share" && printf '%s\n' "$1" >"$WEIR_OUT/share/@kind@.txt")", "@kind@",
                    request.config.text("text")});
    return plan;
  }
};

WEIR_PLUGIN("@kind@-plugin", "0.1", element<@Kind@Element>())
)cpp";

constexpr std::string_view kElementProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["check"]

[element.hello]
kind = "@kind@"
config.text = "Hello from @kind@."

# Fails if what was built is not what it should be.
[element.check]
kind = "script"
depends = ["hello"]
config.commands = ["test \"$(cat $WEIR_PREFIX/share/@kind@.txt)\" = 'Hello from @kind@.'"]
)";

constexpr std::string_view kSource = R"cpp(// @kind@: one file of elsewhere, pinned by its SHA-256.
//
//   source = [{ kind = "@kind@", url = "https://example.org/list.txt", file = "list.txt" }]
#include <weir/plugin.hpp>

using namespace weir::sdk;

struct @Kind@Source {
  static constexpr std::string_view kind = "@kind@";
  // Part of every key: raise it when the same configuration gives other files.
  static constexpr std::uint32_t version = 1;
  // A configuration that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"url":"https://example.org/list.txt","file":"list.txt"})";

  // Asks for the keys that users may write, and refuses all others.
  static void resolve(ConfigReader& config) {
    config.required_text("url", "say where it comes from, as in url = \"https://example.org/list.txt\"");
    const auto file = config.text("file", "data");
    if (file.empty() || file == "." || file == ".." || file.find('/') != file.npos)
      config.complain("file", in_quotes(file) + " is no name for a file", "give it one, as in file = \"list.txt\"");
  }
  // What beside the ref decides on the files.
  static Description describe(const Json& config) { return {.key = config.part({"file"})}; }

  // What is written in weir.lock has to be a SHA-256.
  static void check_ref(std::string_view ref) {
    if (ref.size() != 64 || ref.find_first_not_of("0123456789abcdef") != ref.npos)
      throw Refused{in_quotes(ref) + " is no SHA-256", "`weir track` finds it out"};
  }
  // `weir track`: steps that leave what is to be known in source/<name>.track, and the ref that follows from it.
  static Steps plan_track(const SourceRequest& request) { return Steps().download(request.url, "source/" + request.name + ".track"); }
  static std::string parse_track(const TrackAnswer& answer) { return answer.sha256; }
  // `weir fetch`: steps that fill source/<name> with exactly what the ref names.
  static Steps plan_fetch(const SourceRequest& request) {
    return Steps().download(request.url, "source/" + request.name + "/" + request.config.text("file"), request.ref);
  }
};

WEIR_PLUGIN("@kind@-plugin", "0.1", source<@Kind@Source>())
)cpp";

constexpr std::string_view kSourceProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["hello"]

# Fails if what was fetched is not what it should be. The url is a path, so that no network is needed.
[element.hello]
kind = "script"
source = [{ kind = "@kind@", url = "upstream.txt", file = "hello.txt" }]
config.commands = ["test \"$(cat hello.txt)\" = 'Hello from @kind@.'"]
)";

constexpr std::string_view kQueue = R"cpp(// @kind@: refuses what brings more files to the prefix than a project wants, and keeps a list of them
// with the log.
//
//   [pipeline]
//   queues = ["pull", "fetch", "build", "@kind@", "push"]
//   [queue.@kind@]
//   most = 100
#include <weir/plugin.hpp>

using namespace weir::sdk;

struct @Kind@Queue {
  static constexpr std::string_view kind = "@kind@";
  // Raise it when the same artifact gives another result: it is then looked at again.
  static constexpr std::uint32_t version = 1;
  // Programs of the machine whose versions decide on the result.
  static constexpr std::string_view host_tools = R"(["sh","find"])";
  // A configuration that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"most":100})";

  // Asks for the keys of [queue.@kind@] that users may write, and refuses all others.
  static void resolve(ConfigReader& config) { config.integer("most", 1000, 0, 1'000'000); }
  // Whether there is something to do for an element.
  static Classified classify(const QueueRequest& request) {
    return request.element.text("kind") == "stack" ? skip("a stack has no files of its own") : ready();
  }
  // What weir is to run, with the artifact and all it was built with in place at $WEIR_PREFIX.
  static Plan plan(const QueueRequest& request) {
    Plan plan;
    plan.steps.run({"sh", "-e", "-c", kCount, "@kind@", std::to_string(request.config.integer("most"))});
    return plan;
  }

 private:
  static constexpr const char* kCount = R"(
mkdir -p "$WEIR_OUT"
find "$WEIR_PREFIX" -type f | sort >"$WEIR_OUT/files.txt"
count=$(wc -l <"$WEIR_OUT/files.txt")
test "$count" -le "$1" || { echo "there are $count files, and $1 are allowed" >&2; exit 1; }
)";
};

WEIR_PLUGIN("@kind@-plugin", "0.1", queue<@Kind@Queue>())
)cpp";

constexpr std::string_view kQueueProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["hello"]

[pipeline]
queues = ["pull", "fetch", "build", "@kind@", "push"]

[queue.@kind@]
most = 1

[element.hello]
kind = "script"
config.commands = ["mkdir -p $WEIR_OUT/share", "echo Hello. > $WEIR_OUT/share/hello.txt"]
)";

constexpr std::string_view kRemote = R"cpp(// @kind@: shares artifacts through a folder that all who share it can reach.
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

#include <weir/plugin.hpp>

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
)cpp";

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

constexpr std::string_view kAllocator = R"cpp(// @kind@: builds take turns; the one whose turn it is starts one job.
//
//   [placement]
//   allocate = "@kind@"
#include <algorithm>
#include <vector>

#include <weir/plugin.hpp>

using namespace weir::sdk;

// One object for a run; weir tells it what happens, on one thread. What it names has to be what it was told of.
class @Kind@Allocator {
 public:
  static constexpr std::string_view kind = "@kind@";
  static constexpr std::uint32_t version = 1;
  // A document that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"classes":[{"load":1,"name":"all"}]})";

  // What [placement] and [[class]] of the project say. This one needs nothing of it: there is one class, "default".
  explicit @Kind@Allocator(const Json&) {}

  // Places for jobs in all, and those that are free now.
  void set_workers(std::uint64_t, std::uint64_t idle) { idle_ = idle; }
  void job_waiting(std::uint32_t work_class, std::uint32_t build) { ++reach(work_class, build).waiting; }
  // It waits no longer, and did not start.
  void job_withdrawn(std::uint32_t work_class, std::uint32_t build) { --reach(work_class, build).waiting; }
  void job_started(std::uint32_t work_class, std::uint32_t build) {
    --reach(work_class, build).waiting;
    --idle_;
    turn_ = build + 1;
  }
  void job_ended(std::uint32_t, std::uint32_t) { ++idle_; }
  // Stopped: its place is free, and it waits again.
  void job_requeued(std::uint32_t work_class, std::uint32_t build) {
    ++idle_;
    ++reach(work_class, build).waiting;
  }
  // None of its jobs could start now: to be passed over until this is taken back.
  void set_blocked(std::uint32_t work_class, std::uint32_t build, bool blocked) { reach(work_class, build).blocked = blocked; }

  // Whose job may start now. weir says job_started when it did.
  std::optional<MayStart> next() const {
    for (std::size_t i = 0; idle_ > 0 && i < builds_.size(); ++i) {
      const auto build = (turn_ + i) % builds_.size();
      if (builds_[build].waiting > 0 && !builds_[build].blocked)
        return MayStart{builds_[build].work_class, static_cast<std::uint32_t>(build)};
    }
    return std::nullopt;
  }

 private:
  struct Build {
    std::uint64_t waiting = 0;
    std::uint32_t work_class = 0;
    bool blocked = false;
  };
  // Numbers of builds are small: a vector is the table.
  Build& reach(std::uint32_t work_class, std::uint32_t build) {
    if (build >= builds_.size()) builds_.resize(build + std::size_t{1});
    builds_[build].work_class = work_class;
    return builds_[build];
  }

  std::uint64_t idle_ = 0;
  std::size_t turn_ = 0;
  std::vector<Build> builds_;
};

WEIR_PLUGIN("@kind@-plugin", "0.1", allocator<@Kind@Allocator>())
)cpp";

constexpr std::string_view kPlacer = R"cpp(// @kind@: the job that has waited longest goes to the worker that asks first.
//
//   [placement]
//   place = "@kind@"
#include <algorithm>
#include <deque>
#include <map>

#include <weir/plugin.hpp>

using namespace weir::sdk;

// One object for a run; weir tells it what happens, on one thread. What it names has to be what it was told of.
class @Kind@Placer {
 public:
  static constexpr std::string_view kind = "@kind@";
  static constexpr std::uint32_t version = 1;
  // A document that is right, for `weir plugin check`.
  static constexpr std::string_view example = R"({"cache-timeout":1})";

  // What [placement] of the project says; what this one does not need it leaves alone.
  explicit @Kind@Placer(const Json&) {}

  void add_worker(std::uint32_t) {}
  // It is gone: its jobs wait again, and are named in the order in which they were picked.
  void remove_worker(std::uint32_t worker, std::int64_t, const JobSink& lost) {
    std::erase(idle_, worker);
    for (const auto job : std::exchange(running_[worker], {})) {
      lost(job);
      waiting_.push_back(job);
    }
  }
  // `deps` are the artifacts that it uses; where those are (add_artifact, remove_artifact) makes no difference here.
  void schedule(std::uint32_t job, std::span<const std::uint32_t>, std::int64_t) { waiting_.push_back(job); }
  // Nobody wants it any more, whether it waits or runs.
  void withdraw(std::uint32_t job, std::int64_t) { forget(job); }

  // Nothing: the worker waits until it is woken.
  std::optional<Picked> pick(std::uint32_t worker, std::int64_t) {
    std::erase(idle_, worker);
    if (waiting_.empty()) {
      idle_.push_back(worker);
      return std::nullopt;
    }
    const auto job = waiting_.front();
    waiting_.pop_front();
    running_[worker].push_back(job);
    return Picked{job};
  }
  // If all went well, nobody else has to run it; if not, it is over where it ran.
  void complete(std::uint32_t worker, std::uint32_t job, bool ok, std::int64_t) {
    if (ok) forget(job);
    else std::erase(running_[worker], job);
  }
  // A worker that got nothing, now that there is something.
  std::optional<std::uint32_t> next_woken() {
    if (waiting_.empty() || idle_.empty()) return std::nullopt;
    const auto worker = idle_.front();
    idle_.pop_front();
    return worker;
  }

 private:
  void forget(std::uint32_t job) {
    std::erase(waiting_, job);
    for (auto& [worker, jobs] : running_) std::erase(jobs, job);
  }

  std::deque<std::uint32_t> waiting_;
  std::deque<std::uint32_t> idle_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> running_;  // by worker, in the order of picking
};

WEIR_PLUGIN("@kind@-plugin", "0.1", placer<@Kind@Placer>())
)cpp";

constexpr std::string_view kPlacementProject = R"(weir = 1

[project]
name = "@kind@-example"
default = ["hello"]

[placement]
@key@ = "@kind@"

[element.hello]
kind = "script"
config.commands = ["mkdir -p $WEIR_OUT/share", "echo Hello. > $WEIR_OUT/share/hello.txt"]
)";

// "my-kind" to "MyKind": part of the name of a struct.
std::string in_camel_case(std::string_view kind) {
  std::string out = kind.front() >= '0' && kind.front() <= '9' ? "Kind" : "";
  bool first = true;
  for (const char c : kind) {
    if (c != '-') out += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    first = c == '-';
  }
  return out;
}

using Values = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string text, const Values& values) {
  for (const auto& [name, value] : values)
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + value.size())) text.replace(at, name.size(), value);
  return text;
}

// What differs between the types.
struct Template {
  std::string_view source;
  std::string_view project;
  std::string_view build_options = {};
  std::string_view build_more = {};
  bool configured = false;  // the project has to know where it is built
};

Template template_of(PluginType type) {
  switch (type) {
    case PluginType::element: return {kElement, kElementProject};
    case PluginType::source: return {kSource, kSourceProject, " --track"};
    case PluginType::queue: return {kQueue, kQueueProject, {}, kExpectJob};
    case PluginType::remote: return {kRemote, kRemoteProject, {}, kConfigureExample, true};
    case PluginType::allocator: return {kAllocator, kPlacementProject};
    case PluginType::placer: return {kPlacer, kPlacementProject};
  }
  return {};
}

}  // namespace

std::vector<NewFile> plugin_files(PluginType type, const std::string& kind) {
  const auto chosen = template_of(type);
  const Values values = {{"@kind@", kind},
                         {"@Kind@", in_camel_case(kind)},
                         {"@type@", std::string(to_string(type))},
                         {"@key@", type == PluginType::placer ? "place" : "allocate"},
                         {"@options@", std::string(chosen.build_options)},
                         {"@where@", chosen.configured ? "BINARY" : "SOURCE"},
                         {"@folder@", chosen.configured ? "build/example" : "example"},
                         {"@emptied@", chosen.configured ? " ${CMAKE_CURRENT_BINARY_DIR}/remote" : ""}};
  const auto fill = [&](std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const auto part : parts) text += part;
    return filled(std::move(text), values);
  };
  std::vector<NewFile> files;
  files.push_back({kind + ".cpp", fill({chosen.source})});
  files.push_back({chosen.configured ? "example/weir.toml.in" : "example/weir.toml", fill({chosen.project})});
  if (type == PluginType::source) files.push_back({"example/upstream.txt", fill({"Hello from @kind@.\n"})});
  files.push_back({"README.md", fill({kReadme, kReadmeExample, kReadmeUse})});
  files.push_back({"CMakeLists.txt", fill({kBuild, kBuildExample, chosen.build_more})});
  return files;
}

}  // namespace weir::cli
