// What kinds cost as shared libraries: the program starts itself again and again, with loading all built-in
// kinds (file check, dlopen, entry, table checks) and without, in turns, and takes the medians.
//   plugin_bench [ROUNDS]
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "plugins/host/kinds.h"

extern char** environ;

namespace {

constexpr char kAll[] = "--load-all";
constexpr char kNone[] = "--load-none";

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// In the process that is measured; writes how long it took inside.
int load_all() {
  const auto begin = std::chrono::steady_clock::now();
  weir::Kinds kinds;
  for (const auto& name : kinds.names(weir::PluginType::element))
    if (!kinds.element(name)) return 1;
  for (const auto& name : kinds.names(weir::PluginType::source))
    if (!kinds.source(name)) return 1;
  for (const auto& name : kinds.names(weir::PluginType::queue))
    if (!kinds.queue(name)) return 1;
  std::printf("%zu %f\n", kinds.loaded().size(), milliseconds_since(begin));
  return 0;
}

struct Round {
  double whole = 0;   // of the process, as its parent sees it
  double inside = 0;  // of loading
  std::size_t kinds = 0;
};

Round run(const char* what) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::exit(1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::string program = "/proc/self/exe", word = what;
  char* const argv[] = {program.data(), word.data(), nullptr};
  Round round;
  pid_t child;
  const auto begin = std::chrono::steady_clock::now();
  if (::posix_spawn(&child, program.c_str(), &actions, nullptr, argv, environ) != 0) std::exit(1);
  int status = 0;
  ::waitpid(child, &status, 0);
  round.whole = milliseconds_since(begin);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  char text[100] = {};
  if (status != 0 || ::read(ends[0], text, sizeof text - 1) < 0) std::exit(1);
  ::close(ends[0]);
  std::sscanf(text, "%zu %lf", &round.kinds, &round.inside);
  return round;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], kAll) == 0) return load_all();
  if (argc > 1 && std::strcmp(argv[1], kNone) == 0) return 0;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 500;
  std::vector<double> with, without, inside;
  std::size_t kinds = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto all = run(kAll);
    with.push_back(all.whole);
    inside.push_back(all.inside);
    kinds = all.kinds;
    without.push_back(run(kNone).whole);
  }
  std::printf("%zu kinds, %d rounds; medians in ms\n", kinds, rounds);
  std::printf("process with all kinds %.2f   without %.2f   difference %.2f   loading, inside of it %.2f\n",
              median(with), median(without), median(with) - median(without), median(inside));
}
