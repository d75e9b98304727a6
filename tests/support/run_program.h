// Runs a program of the host without a shell in between, for what a test has to prepare (git, tar).
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <stdexcept>
#include <string>
#include <vector>

extern "C" char** environ;

namespace weir::test {

// What it wrote to its standard output. Throws if it does not end with exit 0: a test that cannot be prepared has failed.
inline std::string run_program(const std::string& directory, std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  for (char buffer[4096];;) {
    const auto got = ::read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = -1;
  if (error == 0) ::waitpid(pid, &status, 0);
  if (error != 0 || status != 0) throw std::runtime_error(words[0] + " " + words[1] + " failed in " + directory);
  return text;
}

}  // namespace weir::test
