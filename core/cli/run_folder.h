// Where a run keeps what it leaves: <cache>/projects/<name>-<hash of its folder>/runs/<number>/
//   events.jsonl  all events
//   logs/         one log per job
//   elements/     one folder each: source, prefix, build, install
// The number is taken by making the folder, so that two runs never share one. `elements` of earlier runs that are over is
// removed when a new one starts; a run that lives holds a lock on its folder.
#pragma once

#include <string>
#include <string_view>

#include "core/base/fd.h"
#include "core/base/result.h"

namespace weir::cli {

class RunFolder {
 public:
  static Result<RunFolder> make(const std::string& cache_directory, std::string_view project_name,
                                std::string_view project_root);

  std::uint64_t number() const { return number_; }
  const std::string& path() const { return path_; }
  std::string events() const { return path_ + "/events.jsonl"; }
  std::string logs() const { return path_ + "/logs"; }
  // The folder of an element; its name is escaped, so that it is one part of a path whatever it holds.
  std::string work(std::string_view element) const;

 private:
  RunFolder(std::string path, std::uint64_t number, UniqueFd lock)
      : path_(std::move(path)), number_(number), lock_(std::move(lock)) {}
  std::string path_;
  std::uint64_t number_;
  UniqueFd lock_;
};

}  // namespace weir::cli
