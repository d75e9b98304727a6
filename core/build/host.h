// What of this machine goes into the keys of elements that are built with its tools, so that a shared cache
// never serves one toolchain's output to another: the system, the C library, and the versions of named tools.
// Each value stands in the recipe by its name, so that a difference can be told in words.
//
// A tool is asked (`--version`) once and again only when its file has changed: answers are kept in
// <cache>/host-tools.
//
// Any thread. Asking takes a process, so the loop asks only for what was asked for before: nobody holds the
// mutex meanwhile.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

class Host {
 public:
  explicit Host(std::string cache_directory);
  ~Host() { save(); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // "debian 12", "x86_64", "2.36"
  const std::string& system() const { return system_; }
  const std::string& architecture() const { return architecture_; }
  const std::string& libc() const { return libc_; }
  // The first line of what the tool says of itself; "none" if it is not there. Good as long as the host
  // lives.
  const std::string& version_of(const std::string& tool);
  // Every path on which an answer so far depends, whether it is there or not.
  std::vector<std::string> looked_at() const;
  // Keeps what was asked for the next run; a cache that cannot be written is no trouble.
  void save() const;

 private:
  struct Known {
    std::string stamp;  // path, inode, size and times of the program
    std::string version;
  };
  void load();
  std::string find_out(const std::string& tool);

  std::string kept_in_;
  std::string system_, architecture_, libc_;
  mutable std::mutex mutex_;                  // of all below
  std::map<std::string, Known> known_;        // by path
  std::map<std::string, std::string> asked_;  // by tool
  bool changed_ = false;
};

}  // namespace weir
