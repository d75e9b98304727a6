#include "plugins/host/guard.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/assert.h"
#include "plugins/host/in_child.h"
#include "plugins/host/sanitized.h"

namespace weir {

namespace {

constexpr int kPluginFault = 70;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

std::atomic<pid_t> process_of_guards{0};

// What a thread is doing; read by the watchdog.
struct Slot {
  std::atomic<const char*> file{nullptr};  // not null: in a plugin
  std::atomic<const char*> question{nullptr};
  std::atomic<std::uint64_t> calls{0};
};

// From signal handlers too: nothing but write().
void say(std::initializer_list<const char*> words) {
  for (const char* word : words) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, word, std::strlen(word));
  }
}

[[noreturn]] void end_saying(const char* file, const char* what, const char* when, const char* question) {
  say({"weir: the plugin ", file, " ", what, when, question,
       "\n  this is a bug of the plugin, nothing of weir's is lost; `weir plugin check ", file,
       "` tries each question\n"});
  ::_exit(kPluginFault);
}

[[noreturn]] void end(const char* file, const char* question, const char* what) {
  end_saying(file, what, " when it was asked to ", question);
}

// Read by signal handlers: plugins with remotes, and what these do. Never more than a few.
struct OperationNote {
  std::atomic<const char*> file{nullptr};
  std::atomic<const char*> operation{nullptr};
  std::size_t running = 0;  // of all remotes of the plugin; for who holds the lock
};
std::array<OperationNote, 16> operation_notes;
std::mutex operation_mutex;

OperationNote* note_of(const char* file) {
  for (auto& note : operation_notes) {
    const char* known = note.file.load();
    if (known && std::strcmp(known, file) == 0) return &note;
  }
  return nullptr;
}

// Null when there is room for no more.
OperationNote* add_note(const char* file) {
  for (auto& note : operation_notes) {
    if (note.file.load()) continue;
    note.file.store(::strdup(file));
    return &note;
  }
  return nullptr;
}

[[noreturn]] void end_on_own_thread(const char* file, const char* what) {
  const char* operation = running_operation(file);
  end_saying(file, what,
             operation ? " on a thread of its own, after it was asked to " : " on a thread of its own",
             operation ? operation : "");
}

// Waits as long as nobody is in a plugin. Counts ticks instead of reading a clock: the time in which weir
// itself is stopped is not the plugin's.
class Watchdog {
 public:
  static Watchdog& instance() {
    static auto* const only = new Watchdog;  // never destroyed: threads may end after it
    return *only;
  }

  void add(Slot* slot) {
    const std::lock_guard lock(mutex_);
    slots_.push_back(slot);
    if (std::exchange(started_, true)) return;
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);  // signals are the loop's
    std::thread([this] { watch(); }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  void remove(Slot* slot) {
    const std::lock_guard lock(mutex_);
    std::erase(slots_, slot);
  }
  void wake() {
    if (!asleep_.load()) return;
    const std::lock_guard lock(mutex_);
    woken_.notify_one();
  }

 private:
  static constexpr auto kTick = std::chrono::milliseconds(100);

  static std::uint64_t patience() {
    return static_cast<std::uint64_t>(plugin_patience(std::chrono::seconds(10)) / kTick);
  }

  bool somebody_in() const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [](const Slot* slot) { return slot->file.load() != nullptr; });
  }

  void watch() {
    struct Seen {
      const Slot* slot;
      std::uint64_t call;
      std::uint64_t ticks;
    };
    std::vector<Seen> seen;
    const auto patience = Watchdog::patience();
    std::unique_lock lock(mutex_);
    for (;;) {
      asleep_.store(true);
      woken_.wait(lock, [this] { return somebody_in(); });
      asleep_.store(false);
      woken_.wait_for(lock, kTick);
      std::vector<Seen> now;
      for (const auto* slot : slots_) {
        const auto* file = slot->file.load();
        if (!file) continue;
        const auto call = slot->calls.load();
        const auto before = std::find_if(
            seen.begin(), seen.end(), [&](const Seen& one) { return one.slot == slot && one.call == call; });
        const auto ticks = before == seen.end() ? 1 : before->ticks + 1;
        if (ticks > patience) end(file, slot->question.load(), "did not answer");
        now.push_back({slot, call, ticks});
      }
      seen.swap(now);
    }
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::atomic<bool> asleep_{false};
  bool started_ = false;
  std::vector<Slot*> slots_;
};

// A stack of its own for the handler: a plugin may have used up the other one.
class ThreadSlot {
 public:
  ThreadSlot() {
    Watchdog::instance().add(&slot);
    stack_t own{};
    own.ss_sp = stack_.data();
    own.ss_size = stack_.size();
    if (!kSanitizedBuild) ::sigaltstack(&own, nullptr);
  }
  ~ThreadSlot() {
    Watchdog::instance().remove(&slot);
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (!kSanitizedBuild) ::sigaltstack(&none, nullptr);
  }
  Slot slot;

 private:
  std::array<char, 32 * 1024> stack_;
};

thread_local Slot* current = nullptr;  // what a handler may look at: no construction behind it
thread_local const char* thread_of_plugin = nullptr;

// Marks a thread as the plugin's. A destructor resets it, because pthread_exit() unwinds the caller too.
class PluginThread {
 public:
  explicit PluginThread(const char* file) : stack_(std::make_unique<char[]>(kHandlerStack)) {
    stack_t own{};
    own.ss_sp = stack_.get();
    own.ss_size = kHandlerStack;
    if (!kSanitizedBuild) ::sigaltstack(&own, nullptr);
    thread_of_plugin = file;
  }
  ~PluginThread() {
    thread_of_plugin = nullptr;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (!kSanitizedBuild) ::sigaltstack(&none, nullptr);
  }
  PluginThread(const PluginThread&) = delete;
  PluginThread& operator=(const PluginThread&) = delete;

 private:
  static constexpr std::size_t kHandlerStack = 32 * 1024;
  std::unique_ptr<char[]> stack_;  // on the heap: a plugin may have given its thread a small one
};

Slot& own_slot() {
  static thread_local ThreadSlot own;
  return own.slot;
}

bool crashes_happen = false;

struct sigaction before[NSIG];

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV: return "crashed (SIGSEGV)";
    case SIGBUS: return "crashed (SIGBUS)";
    case SIGFPE: return "crashed (SIGFPE)";
    case SIGILL: return "crashed (SIGILL)";
    default: return "crashed (SIGABRT)";
  }
}

void on_crash(int signal) {
  const bool is_ours = !is_forked_by_plugin();
  if (is_ours && current) end(current->file.load(), current->question.load(), name_of(signal));
  if (is_ours && thread_of_plugin) end_on_own_thread(thread_of_plugin, name_of(signal));
  ::sigaction(signal, &before[signal], nullptr);  // not of a plugin: as it would have been
  ::raise(signal);
}

void on_exit() {
  if (is_forked_by_plugin()) return;
  if (current) end(current->file.load(), current->question.load(), "called exit()");
  if (thread_of_plugin) end_on_own_thread(thread_of_plugin, "called exit()");
}

void install_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    process_of_guards.store(::getpid());
    std::atexit(on_exit);
    std::at_quick_exit(on_exit);
    if (kSanitizedBuild) return;
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    ::sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) ::sigaction(signal, &action, &before[signal]);
  });
}

// The slot of this thread once it has one: a call then costs one locked instruction.
thread_local Slot* own_of_thread = nullptr;

Slot* first_of_thread() {
  install_once();
  return own_of_thread = &own_slot();
}

}  // namespace

Guard::Guard(const std::string& file, const char* question) {
  if (crashes_happen) return;
  WEIR_ASSERT(!current, "a plugin is asked while it answers");
  auto* own = own_of_thread;
  if (!own) [[unlikely]]
    own = first_of_thread();
  auto& slot = *own;
  // Nobody else writes to it, so nothing has to be locked. Only `file` has to be seen before the look at who
  // is asleep.
  slot.question.store(question, std::memory_order_relaxed);
  slot.calls.store(slot.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  slot.file.store(file.c_str());
  current = &slot;
  Watchdog::instance().wake();
}

Guard::~Guard() {
  if (crashes_happen) return;
  current->file.store(nullptr, std::memory_order_release);
  current = nullptr;
}

InPlugin in_plugin() {
  if (current) return {current->file.load(), current->question.load()};
  return {thread_of_plugin, nullptr};
}

void run_on_thread_of(const std::string& file, const std::function<void()>& work) {
  const PluginThread mark(file.c_str());
  work();
}

void note_operation(const std::string& file, const char* operation) {
  const std::lock_guard lock(operation_mutex);
  auto* note = note_of(file.c_str());
  if (!note) note = add_note(file.c_str());
  if (!note) return;
  ++note->running;
  note->operation.store(operation);
}

void note_ends(const std::string& file, std::size_t count) {
  const std::lock_guard lock(operation_mutex);
  auto* note = note_of(file.c_str());
  if (!note) return;
  note->running -= std::min(note->running, count);
  if (note->running == 0) note->operation.store(nullptr);
}

const char* running_operation(const char* file) {
  const auto* note = note_of(file);
  return note ? note->operation.load() : nullptr;
}

bool is_forked_by_plugin() {
  const auto guarded = process_of_guards.load();
  return !crashes_happen && guarded != 0 && guarded != ::getpid();
}

void stop_unasked_exit(const void* caller, const char* how) {
  if (crashes_happen) return;
  if (current) end(current->file.load(), current->question.load(), how);
  if (thread_of_plugin) end_on_own_thread(thread_of_plugin, how);
  Dl_info where{};
  const bool known = ::dladdr(caller, &where) != 0 && where.dli_fname;
  end_saying(known ? where.dli_fname : "(unknown)", how, " although it was not asked for anything", "");
}

void let_crashes_happen() {
  WEIR_ASSERT(!current, "this process is in a plugin");
  crashes_happen = true;
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
}

void end_for_plugin(const std::string& file, const char* question, const char* what) {
  end(file.c_str(), question, what);
}

}  // namespace weir
