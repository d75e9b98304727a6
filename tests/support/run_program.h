// Runs a program of the host to its end, without a shell in between, for what a test has to prepare (git,
// tar).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/program.h"

extern "C" char** environ;

namespace weir::test {

// What it wrote. Throws if it does not end with exit 0: a test that cannot be prepared has failed.
inline std::string run_program(const std::string& directory, const std::vector<std::string>& words) {
  std::vector<std::string> argv = {"/usr/bin/env", "-C", directory}, environment;
  argv.insert(argv.end(), words.begin(), words.end());
  for (char** variable = environ; *variable; ++variable) environment.emplace_back(*variable);
  Program program(std::move(argv), std::move(environment));
  if (const int exit = program.wait(); exit != 0)
    throw std::runtime_error(words[0] + " " + words[1] + " ended with " + std::to_string(exit) + ": " +
                             program.text());
  return program.text();
}

}  // namespace weir::test
