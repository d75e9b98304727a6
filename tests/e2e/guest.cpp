#include "tests/e2e/guest.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>

namespace weir::test {

namespace {

constexpr int kNoGuest = 125;

bool enter(pid_t process, const char* name) {
  const auto path = "/proc/" + std::to_string(process) + "/ns/" + name;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return fd >= 0 && ::setns(fd, 0) == 0;
}

bool become(uid_t user) {
  return ::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0 &&
         ::setresuid(user, user, user) == 0;
}

bool turn_into(const Guest& guest) {
  const pid_t other = guest.namespaces_of;
  if (other && !(enter(other, "user") && enter(other, "mnt"))) return false;
  const rlimit processes{guest.processes, guest.processes};
  if (guest.processes && ::setrlimit(RLIMIT_NPROC, &processes) != 0) return false;
  if (guest.user && !become(*guest.user)) return false;
  if (guest.before && !guest.before()) return false;
  return guest.directory.empty() || ::chdir(guest.directory.c_str()) == 0;
}

bool redirect(int to, const char* path, int flags) {
  const int fd = ::open(path, flags, 0644);
  return fd >= 0 && ::dup2(fd, to) == to;
}

[[noreturn]] void execute(const Guest& guest, std::vector<std::string>& words) {
  std::vector<char*> argv, environment;
  for (auto& word : words) argv.push_back(word.data());
  auto variables = guest.environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  argv.push_back(nullptr);
  environment.push_back(nullptr);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  if (turn_into(guest) && redirect(0, "/dev/null", O_RDONLY) && redirect(1, ".stdout", kWrite) &&
      redirect(2, ".stderr", kWrite))
    ::execve(argv.front(), argv.data(), environment.data());
  ::_exit(kNoGuest);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

pid_t fork_or_throw() {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  return child;
}

}  // namespace

Finished run_as(const Guest& guest, std::vector<std::string> words) {
  const pid_t child = fork_or_throw();
  if (child == 0) execute(guest, words);
  const int exit = wait_for(child);
  return {exit, content(guest.directory + "/.stdout"), content(guest.directory + "/.stderr")};
}

bool call_as(const Guest& guest, const std::function<bool()>& call) {
  const pid_t child = fork_or_throw();
  if (child == 0) ::_exit(turn_into(guest) && call() ? 0 : kNoGuest);
  return wait_for(child) == 0;
}

bool can_become(uid_t user) {
  return call_as({user, 0, {}, {}, 0, {}}, [] { return true; });
}

}  // namespace weir::test
