// Suspend, resume and kill of all processes of a job.
//
//   cgroup     the job is born in a cgroup v2 of its own; the kernel freezes and kills it as one
//   weir_init  weir-init signals all others: by kill(-1) in its pid namespace, which is one system call and
//              lets no fork slip through, and by a walk over /proc until stable where there is no pid
//              namespace
//
// Cgroups are kept in a pool below <own cgroup>/weir.<pid>: making and removing one costs 44 us, a tenth of a
// short job. The directory is locked as long as its weir lives; a directory that nobody locks is what a
// killed weir left, and the next weir empties and removes it. Loop's thread; the executor owns it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fd.h"

namespace weir {

enum class TreeControlKind : std::uint8_t { automatic, cgroup, weir_init };

// One cgroup v2 directory.
class JobCgroup {
 public:
  JobCgroup(std::string path, UniqueFd directory)
      : path_(std::move(path)), directory_(std::move(directory)) {}
  int directory() const { return directory_.get(); }
  const std::string& path() const { return path_; }
  void freeze(bool frozen);
  void kill();
  // Linux (seen with 6.18) kills whoever is born by clone3 into a cgroup that was ever killed as a whole.
  bool can_be_used_again() const { return !killed_; }
  // Processes the kernel killed here for want of memory; only where the memory controller is on.
  std::optional<std::uint64_t> oom_kills() const;
  // Sets memory.max where the memory controller is on; zero is none.
  void limit_memory(std::uint64_t bytes);
  // Sets pids.max, once, where the pids controller is on.
  void limit_processes(std::uint32_t count);
  bool populated();
  // From here on peak() is that of one job.
  void begin_peak();
  // The most memory since then, without what was only a cache of files at the end: that is given up before
  // anybody is killed. Nothing where the memory controller is off, or if this kernel (before 6.12) cannot say
  // it of a cgroup that is used again.
  std::optional<std::uint64_t> peak() const;

 private:
  bool write(const char* file, std::string_view text);
  std::string read(const char* file) const;
  std::string path_;
  UniqueFd directory_;
  UniqueFd events_;                    // cgroup.events, opened when first asked for
  mutable bool counts_memory_ = true;  // until it turns out that the memory controller is off
  bool frozen_ = false;
  UniqueFd peak_file_;  // a reset holds for whoever reads by the same descriptor
  bool peak_asked_ = false;
  std::uint64_t peak_before_ = 0;  // what is not above it may have been an earlier job's
  bool limited_ = false;           // memory.max is set
  bool bounded_ = false;           // pids.max, too
  bool killed_ = false;
};

class CgroupPool {
 public:
  // Null if no writable cgroup v2 is there. `mount` names a cgroup2 mount to use; empty: from
  // /proc/self/mountinfo.
  static std::unique_ptr<CgroupPool> open(const std::string& mount = {});
  // What weirs left that were killed; open() does it, too.
  static void remove_stale();
  ~CgroupPool();
  CgroupPool(const CgroupPool&) = delete;
  CgroupPool& operator=(const CgroupPool&) = delete;

  // Null if the kernel refuses one more.
  std::unique_ptr<JobCgroup> take();
  // Gives it back empty and thawed; one that is not empty is killed, and one that was killed is removed.
  void give_back(std::unique_ptr<JobCgroup> cgroup);
  const std::string& path() const { return path_; }

 private:
  CgroupPool(std::string path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  static std::string parent_in(const std::string& mount);  // where weir may make groups; empty: nowhere
  static void remove_stale(const std::string& parent);

  std::string path_;
  UniqueFd lock_;  // the directory, locked
  std::vector<std::unique_ptr<JobCgroup>> free_;
  std::vector<std::unique_ptr<JobCgroup>> dirty_;
  std::uint32_t next_ = 0;
};

}  // namespace weir
