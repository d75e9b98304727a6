// The folder as a cache: cas/ab/<hash> for blobs and ac/ab/<hash> for records, as Bazel's --disk_cache has
// them. Any thread; calls take as long as the disk does.
#pragma once

#include <mutex>
#include <string>

#include <weir/remote.hpp>

#include "plugins/remotes/dir/copy.h"

namespace weir::dir {

class Folder {
 public:
  explicit Folder(const std::string& url);  // throws Refused

  // Ends as cancelled if `go_on` says no.
  sdk::Ended carry_out(const sdk::Operation& operation, const GoOn& go_on);

 private:
  std::string path_of(const sdk::Operation& operation, const std::string& hash) const;
  sdk::Ended has(const sdk::Operation& operation, const GoOn& go_on) const;
  sdk::Ended get(const sdk::Operation& operation, const GoOn& go_on) const;
  sdk::Ended put(const sdk::Operation& operation, const GoOn& go_on);
  bool is_missing() const;
  sdk::Ended no_folder() const;
  sdk::Ended copied(CopyEnd end, const std::string& path) const;
  // Of errno.
  sdk::Ended failed(const std::string& path) const;

  const std::string base_;
  std::once_flag cleaned_;
};

}  // namespace weir::dir
