// Git repositories for tests, projects that use them, and git programs that misbehave.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/e2e/project_texts.h"
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
  // The same, but the commit has exactly this text, whatever the attributes of the file.
  std::string commit_raw(const std::string& file, const std::string& text) const {
    const auto full = std::filesystem::path(path_) / file;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
    const auto id = git({"hash-object", "-w", "--no-filters", "--", full});
    git({"update-index", "--add", "--cacheinfo", "100644," + id.substr(0, 40) + "," + file});
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

// The only mirror in the cache of the project.
inline std::string mirror_of(const TempProject& project) {
  std::string mirror;
  for (const auto& entry : std::filesystem::directory_iterator(project.cache() + "/sources/git"))
    if (entry.is_directory()) mirror = entry.path();
  return mirror;
}

// `remote` with `inner`, which has commits, as its submodule `sub`.
inline GitRepository with_inner_as_submodule(const TempProject& project) {
  GitRepository remote(project.path() + "/remote");
  remote.commit("file", "one\n");
  remote.git({"submodule", "--quiet", "add", "../inner", "sub"});
  remote.git({"commit", "--quiet", "-m", "with a submodule"});
  return remote;
}

// The same; `inner` gets a file of its own.
inline GitRepository with_submodule(const TempProject& project, const std::string& content) {
  const GitRepository inner(project.path() + "/inner");
  inner.commit("deep", content);
  return with_inner_as_submodule(project);
}

inline constexpr auto kWithSubmodules = R"({ kind = "git", url = "remote", submodules = true })";

// A project whose source was fetched once: with a mirror, and with a store that has lost what came of it.
class FetchedGit {
 public:
  FetchedGit() : remote_(project_.path() + "/remote") {
    remote_.commit("dir/one", "1");
    remote_.commit("dir/two", "2");
    // Through the protocol, so that the mirror gets loose objects of its own.
    project_.file("weir.toml",
                  importing("{ kind = \"git\", url = \"file://" + remote_.path() + "\", track = \"main\" }"));
    EXPECT_EQ(weir(project_, {"build", "--track"}).exit, 0);
  }
  const TempProject& project() const { return project_; }
  std::string mirror() const { return mirror_of(project_); }
  std::string object(const std::string& name) const {
    const auto id = remote_.git({"rev-parse", name});
    return mirror() + "/objects/" + id.substr(0, 2) + "/" + id.substr(2, 38);
  }
  void forget_store() const { std::filesystem::remove_all(project_.cache() + "/store"); }
  void remove_remote() const { std::filesystem::rename(remote_.path(), remote_.path() + ".gone"); }
  std::string commit(const std::string& file, const std::string& text) { return remote_.commit(file, text); }
  void expect_whole_artifact() const {
    const auto run = build(project_);
    ASSERT_EQ(run.finished.exit, 0) << run.finished.err;
    EXPECT_EQ(built_file(project_, "dir/one"), "1");
    EXPECT_EQ(built_file(project_, "dir/two"), "2");
  }

 private:
  TempProject project_;
  GitRepository remote_;
};

// A folder for PATH with a git that first does this.
inline std::string git_that(const TempProject& project, const std::string& script) {
  const auto bin = project.path() + "/bin";
  std::filesystem::create_directories(bin);
  std::ofstream(bin + "/git") << "#!/bin/sh\n" << script << "\nexec /usr/bin/git \"$@\"\n";
  std::filesystem::permissions(bin + "/git", std::filesystem::perms::owner_all);
  return bin + ":/usr/bin:/bin";
}

}  // namespace weir::test
