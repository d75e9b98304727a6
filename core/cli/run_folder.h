// Where a run keeps what it leaves: <cache>/projects/<name>-<hash of its folder>/runs/<number>/
//   events.jsonl  all events
//   control       its socket while it goes on (core/control)
//   logs/         one log per job
//   elements/     one folder each: source, prefix, build, install
// The number is taken by making the folder, so that two runs never share one. When a run starts, `elements`
// of earlier runs that are over is removed, but for what the newest of them left of builds that failed: `weir
// shell --failed` goes there. Who uses a run, a shell too, holds a lock on its folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fd.h"
#include "core/base/result.h"
#include "core/project/settings.h"

namespace weir::cli {

// Whether the folders of the cache may belong to other users: the setting cache.shared.
enum class Sharing : std::uint8_t { own, shared };

inline Sharing sharing_of(const Settings& settings) {
  return settings.cache_shared.value ? Sharing::shared : Sharing::own;
}

class RunFolder {
 public:
  static Result<RunFolder> make(const std::string& cache_directory, std::string_view project_name,
                                std::string_view project_root, Sharing sharing = Sharing::own);

  std::uint64_t number() const { return number_; }
  const std::string& path() const { return path_; }
  std::string events() const { return path_ + "/events.jsonl"; }
  std::string logs() const { return path_ + "/logs"; }
  // The folder of an element; its name is escaped, so that it is one part of a path whatever it holds.
  std::string work(std::string_view element) const;
  // Nothing is built in it: those after it need not look.
  void has_no_work() const;
  // Empty folders of elements that are built; no element has that name.
  std::string all_work() const { return path_ + "/elements"; }
  std::string spares() const { return all_work() + "/%spare"; }
  // While the run itself stands still, a shell may use what is in it.
  void lend() const;
  void take_back() const;
  // The element is built again: what it left in an earlier run when it failed is of no use any more. Any
  // thread.
  void forget_failed(std::string_view element) const;

 private:
  RunFolder(std::string path, std::uint64_t number, UniqueFd lock, std::string failed_before)
      : path_(std::move(path)),
        number_(number),
        lock_(std::move(lock)),
        failed_before_(std::move(failed_before)) {}
  std::string path_;
  std::uint64_t number_;
  UniqueFd lock_;
  std::string failed_before_;  // an earlier run that has still work of builds that failed; may be empty
};

// A run that is over or under way, for those who only read.
struct PastRun {
  std::uint64_t number = 0;
  std::string path;
  std::string events() const { return path + "/events.jsonl"; }
  std::string work(std::string_view element) const;  // as of RunFolder
  std::string logs() const { return path + "/logs"; }
  std::string log(std::uint64_t job) const { return logs() + "/" + std::to_string(job) + ".log"; }
};

// A name as one part of a path, whatever it holds.
std::string escaped(std::string_view name);

// Where the runs of a project are, whether there were any or not.
std::string project_folder(const std::string& cache_directory, std::string_view project_name,
                           std::string_view project_root);

// Newest first. Without a run under that name, those of the name that was used last in the same root: so a
// weir.toml that cannot be read, and a project that was renamed, still have their runs.
std::vector<PastRun> list_runs(const std::string& cache_directory, std::string_view project_name,
                               std::string_view project_root);

}  // namespace weir::cli
