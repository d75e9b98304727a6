#include "tests/e2e/terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace weir::test {

Terminal::Terminal(const TempProject& project, std::vector<std::string> words) {
  const std::string cache = project.cache(), config = project.path() + "/.config";
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
  if (pid_ < 0) throw std::runtime_error("forkpty");
  if (pid_ > 0) return;
  ::setenv("WEIR_TRUST", "1", 1);
  ::setenv("WEIR_CACHE_DIR", cache.c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", config.c_str(), 1);
  ::setenv("TERM", "dumb", 1);  // no escape sequences between what is looked for
  if (::chdir(project.path().c_str()) == 0) ::execv(argv.front(), argv.data());
  ::_exit(99);
}

Terminal::~Terminal() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  ::close(terminal_);
}

void Terminal::type(const std::string& text) const {
  if (::write(terminal_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("typing");
}

bool Terminal::read_more() {
  pollfd news{terminal_, POLLIN, 0};
  if (::poll(&news, 1, 60'000) <= 0) late_ = true;
  if (late_) return false;
  char buffer[4096];
  const auto got = ::read(terminal_, buffer, sizeof buffer);
  if (got <= 0) return got < 0 && errno == EINTR;  // EIO: nobody has the other end any more
  screen_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

bool Terminal::see(const std::string& text) {
  for (;;) {
    if (const auto at = screen_.find(text, seen_); at != screen_.npos) {
      seen_ = at + text.size();
      return true;
    }
    if (!read_more()) return false;
  }
}

int Terminal::wait() {
  while (read_more()) {
  }
  if (late_) ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace weir::test
