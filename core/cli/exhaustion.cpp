#include "core/cli/exhaustion.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/cli/exit_codes.h"
#include "plugins/host/guard.h"

namespace weir::cli {

namespace {

constexpr rlim_t kSmallestStack = rlim_t{512} << 10;
constexpr rlim_t kManyProcesses = 4096;

constexpr std::string_view kRaiseMemory = "close other programs, or raise the limit on memory (`ulimit -v`)";
constexpr std::string_view kRaiseThreads =
    "raise the limit on processes (`ulimit -u`) or on memory (`ulimit -v`)";
constexpr std::string_view kRaiseFiles = "raise the limit on open files (`ulimit -n`)";

// No formatting and no allocation: there may be no memory left.
void say(std::initializer_list<std::string_view> words) noexcept {
  for (const auto word : words) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, word.data(), word.size());
  }
}

int say_exhausted(std::string_view what, std::string_view remedy) noexcept {
  say({"weir: ", what, "\n  ", remedy, "\n"});
  return kResources;
}

int say_bug(std::string_view what) noexcept {
  say({"weir: this is a bug in weir: ", what, "\n"});
  return kBug;
}

int say_error_number(int number, std::string_view what) noexcept {
  switch (number) {
    case EAGAIN: return say_exhausted("a thread cannot be started", kRaiseThreads);
    case ENOMEM: return say_exhausted("out of memory", kRaiseMemory);
    case EMFILE:
    case ENFILE: return say_exhausted("too many open files", kRaiseFiles);
    default: return say_bug(what);
  }
}

bool is_limited(int resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool may_lack_threads() {
  rlimit processes{};
  const bool few = ::getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur < kManyProcesses;
  return few || is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA);
}

[[noreturn]] void on_terminate() {
  if (in_plugin().file) std::abort();  // which the guard tells as one of the plugin's
  end_by_exception();
}

}  // namespace

int report_exception(const std::exception_ptr& exception) noexcept {
  if (!exception) return say_bug("it was terminated");
  try {
    std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {
    return say_exhausted("out of memory", kRaiseMemory);
  } catch (const std::system_error& error) {
    return say_error_number(error.code().value(), error.what());
  } catch (const boost::system::system_error& error) {
    return say_error_number(error.code().value(), error.what());
  } catch (const std::exception& error) {
    // TBB has no error number.
    if (std::string_view(error.what()).find("pthread_create") != std::string_view::npos)
      return say_error_number(EAGAIN, error.what());
    return say_bug(error.what());
  } catch (...) {
    return say_bug("an unknown exception");
  }
}

void end_by_exception() noexcept { std::_Exit(report_exception(std::current_exception())); }

void end_threads_by_exception() { std::set_terminate(on_terminate); }

Status check_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kSmallestStack) return {};
  return fail(Reason::resources,
              fmt::format("the limit on the stack is {} KiB, and weir needs {}", limit.rlim_cur >> 10,
                          kSmallestStack >> 10),
              "raise it, for example with `ulimit -s 8192`");
}

Status check_threads(unsigned count) {
  if (!may_lack_threads()) return {};
  std::mutex mutex;
  std::condition_variable changed;
  bool all_tried = false;
  std::vector<std::thread> threads;
  threads.reserve(count);
  std::optional<std::string> trouble;
  try {
    for (unsigned i = 0; i < count; ++i)
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return all_tried; });
      });
  } catch (const std::system_error& error) {
    trouble = error.code().message();
  }
  {
    const std::lock_guard lock(mutex);
    all_tried = true;
  }
  changed.notify_all();
  const auto started = threads.size();
  for (auto& thread : threads) thread.join();
  if (!trouble) return {};
  return fail(Reason::resources,
              fmt::format("only {} of {} threads can be started: {}", started, count, *trouble),
              std::string(kRaiseThreads));
}

}  // namespace weir::cli
