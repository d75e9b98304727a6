// A store in a temporary directory, and small ways to write and look at trees.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/random.h"
#include "core/store/store.h"

namespace weir::store::test {

namespace fs = std::filesystem;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "weir-store-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() {
    // Not std::filesystem::remove_all: it keeps a descriptor for every level.
    const UniqueFd parent(::open(path_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    (void)remove_tree_of(parent.get(), path_.filename().string());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const fs::path& path() const { return path_; }

 private:
  static Status remove_tree_of(int directory, const std::string& name);
  fs::path path_;
};

inline void write_file(const fs::path& path, std::string_view text, bool executable = false) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  ::chmod(path.c_str(), executable ? 0755 : 0644);
}

inline std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline struct stat stat_of(const fs::path& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info;
}

// The value, or the test ends with the error's words.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}
inline void must(Status status) {
  if (!status) throw std::runtime_error(status.error().message);
}

// A random tree with odd names, empty files and directories, executables and symlinks.
void make_random_tree(const fs::path& root, Random& random, int entries = 30);

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { reopen(); }

  void reopen(Options options = {}) {
    store_.reset();
    store_ = must(Store::open(store_path(), std::move(options)));
  }
  Store& store() { return *store_; }
  std::string store_path() const { return (here() / "store").string(); }
  const fs::path& here() const { return directory_.path(); }
  fs::path object(const Digest& digest, bool executable = false) const {
    const auto hex = digest.hex();
    return here() / "store/objects" / hex.substr(0, 2) / (hex.substr(2) + (executable ? ".x" : ""));
  }
  // An artifact with one file, committed and durable.
  Artifact commit_artifact(const std::string& name, const std::string& content) {
    write_file(here() / "in" / name / "file", content);
    return commit_tree(name, must(store().import(here() / "in" / name)).tree);
  }
  Artifact commit_tree(const std::string& name, const Digest& tree) {
    const Artifact artifact{
        Key::of(name),
        {tree, must(store().put_blob("recipe " + name)), must(store().put_blob("log " + name)), name}};
    must(must(store().commit(artifact.key, artifact.record)).wait());
    return artifact;
  }
  Stage stage(const Digest& tree, StageMode mode = StageMode::read_only) {
    const Layer layer{tree, "it"};
    return must(store().stage({&layer, 1}, mode));
  }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

}  // namespace weir::store::test
