// What weir does about a plugin that crashes, hangs or ends the process in the middle of a question: it says
// which plugin and which question, and ends with exit code 70. Plugins run inside of weir, with the user's
// rights: they are asked several times per element, and through a process of their own each question would
// take two or three times as long. Nothing is lost by ending: jobs never outlive weir, and the store survives
// its death at any point.
#pragma once

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

// In a child whose parent looks at its end: from now on guards do nothing, in this process.
void let_crashes_happen();

// Says what the plugin did and ends weir with exit code 70, as a guard does.
[[noreturn]] void end_for_plugin(const std::string& file, const char* question, const char* what);

}  // namespace weir
