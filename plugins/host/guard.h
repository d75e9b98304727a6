// What weir does about a plugin that crashes, hangs or ends the process in the middle of a question: it says
// which plugin and which question, and ends with exit code 70. Plugins run inside of weir, with the user's
// rights: they are asked several times per element, and through a process of their own each question would
// take two or three times as long. Nothing is lost by ending: jobs never outlive weir, and the store survives
// its death at any point.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace weir {

// Marks the calling thread as being in a plugin. One at a time per thread.
class Guard {
 public:
  // Both live as long as the guard.
  Guard(const std::string& file, const char* question);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
};

// The plugin in whose code this thread is: inside of a guard, or on a thread that the plugin started.
struct InPlugin {
  const char* file = nullptr;      // null: in none
  const char* question = nullptr;  // null: on a thread of its own
};
InPlugin in_plugin();

// Runs `work` on a thread that a plugin started, so that a crash there is told as one of the plugin's.
void run_on_thread_of(const std::string& file, const std::function<void()>& work);

// A remote of this plugin was asked for an operation, a text without an end; so many of them came to theirs.
// For words about a crash on its threads.
void note_operation(const std::string& file, const char* operation);
void note_ends(const std::string& file, std::size_t count);
// What the plugin's remotes were asked for last; null when none of them has anything to do. For signal
// handlers too.
const char* running_operation(const char* file);

// This is a child that a plugin has forked: how that ends is the plugin's affair.
bool is_forked_by_plugin();

// A library, if no plugin is known the one at `caller`, ended the process by `how` ("called _exit()"): ends
// weir with exit code 70, unless let_crashes_happen().
void stop_unasked_exit(const void* caller, const char* how);

// In a child whose parent looks at its end: from now on guards do nothing, in this process.
void let_crashes_happen();

// Says what the plugin did and ends weir with exit code 70, as a guard does.
[[noreturn]] void end_for_plugin(const std::string& file, const char* question, const char* what);

}  // namespace weir
