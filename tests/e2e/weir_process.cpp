#include "tests/e2e/weir_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern "C" char** environ;

namespace weir::test {

namespace fs = std::filesystem;

namespace {

struct Ends {
  int ours = -1;
  int theirs = -1;
};

Ends make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return {ends[0], ends[1]};
}

// Raw, so that bytes arrive as they were written. O_NOCTTY: it must not become the terminal of the tests.
Ends make_terminal() {
  const int ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ours < 0 || ::grantpt(ours) != 0 || ::unlockpt(ours) != 0) throw std::runtime_error("posix_openpt");
  const int theirs = ::open(::ptsname(ours), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios mode{};
  if (theirs < 0 || ::tcgetattr(theirs, &mode) != 0) throw std::runtime_error("ptsname");
  ::cfmakeraw(&mode);
  ::tcsetattr(theirs, TCSANOW, &mode);
  return {ours, theirs};
}

// Tests say themselves where their weir runs; the tests may run in CI.
bool is_of_this_place(std::string_view variable) {
  for (const std::string_view start : {"WEIR_", "MAKEFLAGS=", "CI=", "GITHUB_", "GITLAB_CI=", "NO_COLOR="})
    if (variable.starts_with(start)) return true;
  return false;
}

}  // namespace

std::string content(const fs::path& path) {
  // Not by iterators, which throw if a file of /proc goes with its process.
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TempProject::TempProject() {
  std::string pattern = fs::temp_directory_path() / "weir-e2e-XXXXXX";
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
  path_ = pattern;
  cache_ = path_ + "/.cache";
}

TempProject::~TempProject() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

TempProject& TempProject::file(const std::string& path, const std::string& text) {
  const auto full = fs::path(path_) / path;
  fs::create_directories(full.parent_path());
  std::ofstream(full, std::ios::binary) << text;
  return *this;
}

WeirProcess::WeirProcess(const TempProject& project, std::vector<std::string> arguments, Stdout out) {
  err_path_ = project.path() + "/.stderr";
  const auto ends = out == Stdout::pipe ? make_pipe() : make_terminal();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends.theirs, 1);
  posix_spawn_file_actions_addopen(&actions, 2, err_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addchdir_np(&actions, project.path().c_str());

  std::vector<std::string> words{WEIR_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables{"WEIR_CACHE_DIR=" + project.cache(),
                                     "XDG_CONFIG_HOME=" + project.path() + "/.config"};
  variables.insert(variables.end(), project.variables().begin(), project.variables().end());
  // Of two with one name the first counts: tests of trust itself set it to nothing.
  variables.push_back("WEIR_TRUST=1");
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  for (char** variable = environ; *variable; ++variable)
    if (!is_of_this_place(*variable)) environment.push_back(*variable);
  environment.push_back(nullptr);
  const int error = ::posix_spawn(&pid_, WEIR_BINARY, &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends.theirs);
  out_ = ends.ours;
  if (error) throw std::runtime_error("cannot start " WEIR_BINARY);
}

WeirProcess::~WeirProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  ::close(out_);
}

std::string WeirProcess::wait_for_line(const std::string& text) {
  for (;;) {
    for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
      const auto line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      seen_ += line + "\n";
      if (line.find(text) != std::string::npos) return line;
    }
    char buffer[4096];
    const auto got = ::read(out_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return "";
    unread_.append(buffer, static_cast<std::size_t>(got));
  }
}

Finished WeirProcess::wait() {
  wait_for_line("\n");  // no line holds this: reads to the end
  int status = 0;
  rusage used{};
  while (::wait4(pid_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), seen_ + unread_,
          content(err_path_), static_cast<std::uint64_t>(used.ru_maxrss) * 1024};
}

Finished weir(const TempProject& project, std::vector<std::string> arguments, Stdout out) {
  return WeirProcess(project, std::move(arguments), out).wait();
}

std::vector<pid_t> processes_with(const std::string& tag) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto environment = content(entry.path() / "environ"), words = content(entry.path() / "cmdline");
    if (environment.find(tag) != std::string::npos || words.find(tag) != std::string::npos)
      found.push_back(std::stoi(name));
  }
  return found;
}

char state_of(pid_t pid) {
  const auto stat = content("/proc/" + std::to_string(pid) + "/stat");
  const auto end = stat.rfind(") ");
  return end == std::string::npos ? '-' : stat[end + 2];
}

}  // namespace weir::test
