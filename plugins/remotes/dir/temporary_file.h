// A file that is written beside the others and gets its name in one step when it is whole: whoever reads sees
// all of it or nothing, and of many writers the last one wins. rename(2) alone does that on NFS too; links,
// O_TMPFILE and locks do not. Gone with the object unless it got its name.
#pragma once

#include <string>

namespace weir::dir {

class TemporaryFile {
 public:
  // In folder `tmp` of the base folder, which is made if it is not there.
  explicit TemporaryFile(const std::string& base);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Negative: see errno.
  int fd() const { return fd_; }
  // Makes the folders of `path` below the base. False: see errno.
  bool become(const std::string& path);

 private:
  std::string base_;
  std::string path_;
  int fd_ = -1;
  bool there_ = false;
};

// Those that nobody finished within a day. Best effort.
void remove_left_over(const std::string& base);

}  // namespace weir::dir
