#include "plugins/host/in_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/fd.h"
#include "plugins/host/guard.h"

namespace weir {

namespace {

constexpr char kEnd = '\0';  // behind the text of a child that came to its end; no text has one
constexpr int kLeft = 0;

// exit() would wait for threads that the child does not have.
void leave_at_once() { ::_exit(kLeft); }

void become_harmless() {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
  std::atexit(leave_at_once);
  std::at_quick_exit(leave_at_once);
  let_crashes_happen();
}

[[noreturn]] void run_child(int report, const std::function<void(int)>& work) {
  become_harmless();
  work(report);
  write_all(report, std::string_view(&kEnd, 1));
  ::_exit(0);
}

// False at the deadline.
bool read_until(std::chrono::steady_clock::time_point deadline, int from, std::string& text) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    pollfd ready{from, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) return false;
    char buffer[16 << 10];
    const auto got = ::read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

int await(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

ChildReport in_child(std::chrono::seconds limit, const std::function<void(int)>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {ChildReport::How::left, errno, {}};
  UniqueFd ours(ends[0]), theirs(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ours.reset();
    run_child(theirs.get(), work);
  }
  theirs.reset();
  if (child < 0) return {ChildReport::How::left, errno, {}};
  ::setpgid(child, child);  // whoever comes first
  ChildReport end;
  const bool in_time = read_until(std::chrono::steady_clock::now() + limit, ours.get(), end.text);
  ::kill(-child, SIGKILL);  // whatever it started; one that came to its end is past caring
  const int status = await(child);
  const bool complete = end.text.ends_with(kEnd);
  if (complete) end.text.pop_back();
  if (complete) return end;
  if (!in_time) end.how = ChildReport::How::hung;
  else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
    end.how = ChildReport::How::crashed, end.number = WTERMSIG(status);
  else end.how = ChildReport::How::left, end.number = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return end;
}

std::string to_text(const ChildReport& end, std::chrono::seconds limit) {
  switch (end.how) {
    case ChildReport::How::finished: return "came to its end";
    case ChildReport::How::crashed:
      return fmt::format("crashed (SIG{})", ::sigabbrev_np(end.number) ? ::sigabbrev_np(end.number)
                                                                       : std::to_string(end.number));
    case ChildReport::How::hung: return fmt::format("did not answer in {} s and was killed", limit.count());
    default: return fmt::format("ended the process (exit code {})", end.number);
  }
}

std::chrono::seconds plugin_patience(std::chrono::seconds standard) {
  const char* given = std::getenv("WEIR_PLUGIN_TIMEOUT");
  const long seconds = given ? std::strtol(given, nullptr, 10) : 0;
  return seconds > 0 ? std::chrono::seconds(seconds) : standard;
}

}  // namespace weir
