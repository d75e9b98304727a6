// What people wait for at a terminal, and what the live display costs: the real weir at a pseudo terminal.
//   first frame   from starting weir until the first byte of the live region, beside starting /bin/true
//   --help        from start to end
//   display       CPU time of weir while 8 jobs sleep, with the display and with plain lines
// Usage: display_bench [WEIR [ROUNDS [SECONDS]]]
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

struct Measured {
  double first = 0;  // seconds until `wanted` was there
  double wall = 0, cpu = 0;
  std::size_t bytes = 0;  // that were written to the terminal
};

// Runs the words at a terminal of 80 x 24.
Measured at_terminal(std::vector<std::string> words, const std::string& wanted) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  winsize size{24, 80, 0, 0};
  int terminal = -1;
  const auto start = now();
  const auto pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid == 0) {
    ::execv(argv.front(), argv.data());
    ::_exit(99);
  }
  Measured measured;
  std::string text;
  char buffer[65536];
  for (ssize_t got; (got = ::read(terminal, buffer, sizeof buffer)) > 0;) {
    measured.bytes += static_cast<std::size_t>(got);
    if (measured.first > 0) continue;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.find(wanted) != text.npos) measured.first = now() - start;
  }
  rusage usage{};
  int status = 0;
  ::wait4(pid, &status, 0, &usage);
  ::close(terminal);
  measured.wall = now() - start;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  measured.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  if (status != 0) fmt::print(stderr, "{} ended with {}\n", words[1], status);
  return measured;
}

std::string project(const fs::path& folder, int jobs, int seconds) {
  fs::create_directories(folder);
  std::ofstream file(folder / "weir.toml");
  file << "weir = 1\n[project]\nname = \"display\"\n";
  for (int i = 0; i < jobs; ++i)
    file << "[element.job" << i << "]\nkind = \"script\"\nconfig.commands = [\"sleep " << seconds << "\"]\n";
  return folder.string();
}

void row(std::string_view what, const std::vector<double>& all, double unit, std::string_view name,
         std::string_view aim) {
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  fmt::print("{:<34} {:>8.2f} {:<3} ({:.2f} to {:.2f}){}{}\n", what, median(all) * unit, name, *least * unit,
             *most * unit, aim.empty() ? "" : "  aim ", aim);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string weir =
      argc > 1 ? argv[1]
               : (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin/weir").string();
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20, seconds = argc > 3 ? std::atoi(argv[3]) : 10;
  std::string pattern = fs::temp_directory_path() / "weir-display-XXXXXX";
  const fs::path folder = ::mkdtemp(pattern.data());
  ::setenv("WEIR_CACHE_DIR", (folder / "cache").c_str(), 1);
  ::setenv("XDG_CONFIG_HOME", (folder / "config").c_str(), 1);
  ::setenv("TERM", "xterm-256color", 1);
  for (const auto* name : {"CI", "NO_COLOR", "WEIR_LOG"}) ::unsetenv(name);

  const auto quick = project(folder / "quick", 3, 0);
  std::vector<double> frames, helps, bare;
  for (int i = 0; i < rounds; ++i) {
    bare.push_back(at_terminal({"/bin/true"}, "-").wall);
    helps.push_back(at_terminal({weir, "--help"}, "weir").wall);
    frames.push_back(
        at_terminal({weir, "-C", quick, "build", "--sandbox", "none", "--force", "job0", "job1", "job2"},
                    "[0/")
            .first);
  }
  row("/bin/true, from start to end", bare, 1e3, "ms", "");
  row("weir --help, from start to end", helps, 1e3, "ms", "10 ms");
  row("weir build, until the first frame", frames, 1e3, "ms", "50 ms");

  const auto slow = project(folder / "slow", 8, seconds);
  std::vector<double> drawn, plain;
  std::size_t bytes = 0;
  for (int i = 0; i < 3; ++i) {
    const std::vector<std::string> words{weir,      "-C",   slow,   "build", "--sandbox", "none",
                                         "--force", "-j",   "8",    "job0",  "job1",      "job2",
                                         "job3",    "job4", "job5", "job6",  "job7"};
    const auto with = at_terminal(words, "[0/");
    drawn.push_back(with.cpu / with.wall);
    bytes = with.bytes;
    ::setenv("NO_COLOR", "1", 1);
    const auto without = at_terminal(words, "start");
    plain.push_back(without.cpu / without.wall);
    ::unsetenv("NO_COLOR");
  }
  row("CPU of weir, 8 jobs, live display", drawn, 100, "%", "");
  row("CPU of weir, 8 jobs, plain lines", plain, 100, "%", "");
  fmt::print("{:<34} {:>8.2f} %    aim 1 % of a core; {} bytes to the terminal in {} s\n",
             "the display alone", (median(drawn) - median(plain)) * 100, bytes, seconds);
  fs::remove_all(folder);
}
