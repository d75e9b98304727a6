// weir in a window of a real terminal emulator (tmux), and somebody who types and looks at the screen. What
// is waited for is on the screen; nothing sleeps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/e2e/weir_process.h"

namespace weir::test {

class Screen {
 public:
  // Starts weir with these arguments in the project's folder; variables are "NAME=value", and "NAME" is taken
  // away.
  Screen(TempProject& project, std::size_t columns, std::size_t rows, const std::string& arguments,
         std::vector<std::string> variables = {});
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // "c", "Enter", "C-c", "C-z": as tmux calls the keys.
  void press(const std::string& keys) const;
  void line(const std::string& text) const {
    type(text);
    press("Enter");
  }
  void type(const std::string& text) const;
  void resize(std::size_t columns, std::size_t rows) const;

  std::vector<std::string> lines() const;     // what is on the screen, without empty lines at its end
  std::string text() const;                   // the same as one text
  std::string history() const;                // with what has scrolled away
  bool shows(const std::string& what) const;  // waits for it
  bool shows(const std::function<bool(const std::vector<std::string>&)>& is_so) const;
  // Another command of the shell in which weir was started, after that one has ended or was stopped.
  void command(const std::string& text);
  // Waits until the last command has ended, or was stopped, and all that it wrote is on the screen: its exit
  // code.
  int exit() const;

 private:
  std::string tmux(std::vector<std::string> words) const;
  std::string folder_;
  std::string socket_;  // its own: the server of an earlier screen may still be ending
  std::size_t commands_ = 0;
};

}  // namespace weir::test
