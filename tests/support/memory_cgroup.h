// A cgroup with a limit of memory, below the one that this process is in: v1, or v2 where the controller is
// given on. For tests and benches that need a small machine.
#pragma once

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "resources/cgroups.h"

namespace weir::test {

class MemoryCgroup {
 public:
  // Nothing: this machine does not let us.
  static std::optional<MemoryCgroup> make(std::uint64_t limit) {
    for (const auto& member : cgroups_of_this_process({}, "memory")) {
      MemoryCgroup made(member.folder(), member.v2);
      if (::mkdir(made.path_.c_str(), 0755) != 0) continue;
      made.owned_ = true;
      if (made.write(member.v2 ? "memory.max" : "memory.limit_in_bytes", std::to_string(limit)) &&
          made.probe())
        return made;
    }
    return std::nullopt;
  }
  MemoryCgroup(MemoryCgroup&& other) noexcept
      : home_(std::move(other.home_)),
        path_(std::move(other.path_)),
        v2_(other.v2_),
        owned_(std::exchange(other.owned_, false)) {}
  MemoryCgroup& operator=(MemoryCgroup&&) = delete;
  ~MemoryCgroup() {
    if (!owned_) return;
    leave();
    // The kernel removes a process from its cgroup shortly after it was reaped; version 1 has no event for
    // it.
    for (int round = 0; ::rmdir(path_.c_str()) != 0 && round < 200; ++round)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  // This process, and all that it starts from here on.
  bool enter() const { return write("cgroup.procs", "0"); }
  bool leave() const { return bool(std::ofstream(home_ + "/cgroup.procs") << "0" << std::flush); }
  // Processes that the kernel killed in it.
  std::uint64_t kills() const {
    return number_after(read_text(path_ + (v2_ ? "/memory.events" : "/memory.oom_control")), "oom_kill")
        .value_or(0);
  }
  const std::string& path() const { return path_; }

 private:
  MemoryCgroup(std::string home, bool v2)
      : home_(std::move(home)), path_(home_ + "/weir-test-" + std::to_string(::getpid())), v2_(v2) {}
  bool write(const std::string& file, const std::string& text) const {
    return bool(std::ofstream(path_ + "/" + file) << text << std::flush);
  }
  // Some containers show files that do nothing.
  bool probe() const {
    const bool entered = enter();
    return leave() && entered;
  }

  std::string home_, path_;
  bool v2_ = false;
  bool owned_ = false;
};

}  // namespace weir::test
