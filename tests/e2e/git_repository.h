// A git repository for a test, with commits of its own.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/run_program.h"

namespace weir::test {

class GitRepository {
 public:
  // `path` is made; `bare` ones are what a server would have.
  explicit GitRepository(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    git({"init", "--quiet", "--initial-branch=main"});
  }
  const std::string& path() const { return path_; }

  std::string git(std::vector<std::string> words) const {
    std::vector<std::string> all = {
        "git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(path_, all);
  }
  // Writes a file and commits it; the commit.
  std::string commit(const std::string& file, const std::string& text) const {
    const auto full = std::filesystem::path(path_) / file;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
    git({"add", "--all"});
    git({"commit", "--quiet", "-m", "change"});
    return head();
  }
  std::string head() const {
    auto text = git({"rev-parse", "HEAD"});
    return text.substr(0, text.find('\n'));
  }

 private:
  std::string path_;
};

}  // namespace weir::test
