// Folders of jobs that are over, emptied, for jobs to come: each has `build` and `install<prefix>`.
//
// Making and removing four directories takes 90 us each on ext4, and one without a journal looks at every
// inode that was removed lately before it takes another: thousands of small jobs paid 1 ms for each. Handing
// one folder on is one rename away and one back.
//
// A job can do more to its folder than to fill it. What is not as a new directory is in mode, owner, size,
// attributes and flags is not handed on, but removed. All of that shows in the time of a directory's last
// change, which nobody can set, so of a directory that has not changed since it was handed out nothing else
// is looked at. The spares lie in a place that only this run knows: the folder of a job is another weir's as
// soon as its lock is given back. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir {

class SpareFolders {
 public:
  // `place` is made when it is first needed, and removed in the end; empty: nothing is kept.
  SpareFolders(std::string place, std::string prefix);
  ~SpareFolders();
  SpareFolders(const SpareFolders&) = delete;
  SpareFolders& operator=(const SpareFolders&) = delete;

  // An empty folder at `path`; what was there is removed.
  Status make(const std::string& path);
  // Nobody needs it any more, nor what is in it.
  void give_back(const std::string& path);
  // The same if there is nothing in it and it is as it was made; else it stays as it is, and this is false.
  bool give_back_untouched(const std::string& path);

 private:
  // What a directory is as long as nobody did anything to it but make and remove files.
  struct Look {
    mode_t mode = 0;
    uid_t uid = 0;
    gid_t gid = 0;
    off_t size = 0;
    ssize_t attributes = 0;
    int flags = 0;
    bool operator==(const Look&) const = default;
  };
  // Which directory it is, and when it last changed.
  struct Mark {
    dev_t device = 0;
    ino_t inode = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Mark&) const = default;
  };
  using Marks = std::vector<Mark>;  // of all directories but the outermost, which changes with its name;
                                    // empty: not known
  struct Spare {
    std::string path;
    Marks marks;
  };
  static std::optional<Look> look_at(int directory);
  std::optional<Marks> marks_of(int outermost) const;
  static bool are_older(const Marks& marks, const std::string& renamed);
  bool are_unchanged(int outermost, const Marks& marks) const;
  static bool is_same(const std::optional<Look>& now, const Look& look);
  bool take(const std::string& path);
  Status make_new(const std::string& path);
  void learn(const std::string& path);
  enum class Content : std::uint8_t { remove, keep };
  bool is_as_new(const UniqueFd& outermost, const Look& look, Content content, Marks& marks) const;
  bool keep(const std::string& path, Content content);

  std::string place_;
  std::vector<std::string> inside_;  // of install, from the outermost: the parts of the prefix
  std::vector<std::string> inner_;   // all directories but the outermost, by their paths in it
  std::mutex mutex_;
  std::optional<Look> new_look_;  // learnt from the first one
  std::vector<Spare> spares_;
  std::unordered_map<std::string, Marks> handed_out_;  // by path, as they were
  std::size_t next_ = 0;
};

}  // namespace weir
