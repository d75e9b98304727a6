// A program at a terminal of its own, and somebody who types. What is waited for is text on the screen;
// nothing sleeps.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/e2e/weir_process.h"

namespace weir::test {

class Terminal {
 public:
  // The words are executed directly in the project's folder, with its cache.
  Terminal(const TempProject& project, std::vector<std::string> words);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& text) const;
  // Reads until the text is there, and forgets all up to its end; false at the end of the output, or after a
  // minute.
  bool see(const std::string& text);
  // Reads to the end; the exit code, or 128 and the signal.
  int wait();
  const std::string& screen() const { return screen_; }  // all that there was

 private:
  bool read_more();

  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
  bool late_ = false;  // nothing came for a minute: something hangs
};

}  // namespace weir::test
