// Code that may crash, hang or end the process, run in a child where that is only an answer. The child is a
// fork: it has all that weir has, and keeps nothing.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace weir {

struct ChildReport {
  enum class How : std::uint8_t { finished, crashed, hung, left };  // left: it called exit() or the like
  How how = How::finished;
  int number = 0;    // the signal, or the exit code
  std::string text;  // what was reported until then
  bool finished() const { return how == How::finished; }
};

// "crashed (SIGSEGV)", "did not answer in 5 s and was killed", "ended the process (exit code 0)".
std::string to_text(const ChildReport& end, std::chrono::seconds limit);

// Runs work(report): what it writes to that file descriptor is the text. It has no standard streams and
// leaves no core file.
ChildReport in_child(std::chrono::seconds limit, const std::function<void(int report)>& work);

// How long a plugin may take: WEIR_PLUGIN_TIMEOUT in seconds, or `standard`.
std::chrono::seconds plugin_patience(std::chrono::seconds standard);

}  // namespace weir
