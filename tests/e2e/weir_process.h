// Runs the real weir on a project made for the test, as a user would.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/e2e/eventually.h"

namespace weir::test {

// Of a file; empty if it is not there.
std::string content(const std::filesystem::path& path);

struct Finished {
  int exit = -1;    // or 128 + signal
  std::string out;  // standard output
  std::string err;
  std::uint64_t peak_bytes = 0;  // of the memory of weir, or of the largest program that it ran
};

// A folder that is gone with the test; `file` writes into it.
class TempProject {
 public:
  TempProject();
  ~TempProject();
  TempProject(const TempProject&) = delete;
  TempProject& operator=(const TempProject&) = delete;
  TempProject& file(const std::string& path, const std::string& text);
  const std::string& path() const { return path_; }
  std::string cache() const { return cache_; }
  void use_cache(const std::string& folder) { cache_ = folder; }
  // "WEIR_LOG=debug": a variable for every weir that is run here.
  void set(std::string variable) { variables_.push_back(std::move(variable)); }
  void unset_all() { variables_.clear(); }
  const std::vector<std::string>& variables() const { return variables_; }

 private:
  std::string path_;
  std::string cache_;
  std::vector<std::string> variables_;
};

enum class Stdout { pipe, terminal };

class WeirProcess {
 public:
  WeirProcess(const TempProject& project, std::vector<std::string> arguments, Stdout out = Stdout::pipe);
  ~WeirProcess();
  pid_t pid() const { return pid_; }
  // Reads standard output (weir build --events -) until a line holds `text`; the line, or "" at the end of
  // the stream.
  std::string wait_for_line(const std::string& text);
  void signal(int number) const { ::kill(pid_, number); }
  Finished wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  std::string err_path_;
  std::string unread_;
  std::string seen_;
};

Finished weir(const TempProject& project, std::vector<std::string> arguments, Stdout out = Stdout::pipe);

// Pids of all processes whose environment or command line holds `tag`.
std::vector<pid_t> processes_with(const std::string& tag);
// The state letter of /proc/<pid>/stat; '-' if it is gone.
char state_of(pid_t pid);

}  // namespace weir::test
