// A program that a test runs: its output as it comes, its exit code at the end. It is killed with the test.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/fd.h"

namespace weir {

// Asks again and again, for what no event tells. False at the deadline, which is for broken code only.
inline bool eventually(const std::function<bool()>& done,
                       std::chrono::seconds limit = std::chrono::minutes(2)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

class Program {
 public:
  Program(std::vector<std::string> argv, std::vector<std::string> environment) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    output_ = UniqueFd(ends[0]);
    const UniqueFd writer(ends[1]);
    const auto words = pointers(argv);
    const auto variables = pointers(environment);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(writer.get(), 1);
    ::dup2(writer.get(), 2);
    ::execve(words[0], words.data(), variables.data());
    ::_exit(127);
  }
  ~Program() {
    if (pid_ > 0) stop(SIGKILL);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  // Reads until the output holds `word` or ends.
  bool wait_for(std::string_view word) {
    while (text_.find(word) == text_.npos && read_more()) {
    }
    return text_.find(word) != text_.npos;
  }
  // The exit code, or 128 and the signal.
  int wait() {
    while (read_more()) {
    }
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
  }
  void stop(int signal) {
    ::kill(pid_, signal);
    wait();
  }
  const std::string& text() const { return text_; }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    for (auto& word : words) list.push_back(word.data());
    list.push_back(nullptr);
    return list;
  }
  bool read_more() {
    char buffer[4096];
    const auto got = ::read(output_.get(), buffer, sizeof buffer);
    if (got > 0) text_.append(buffer, static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t pid_ = -1;
  UniqueFd output_;
  std::string text_;
};

}  // namespace weir
