// Starts one program: clone with VM|VFORK|PIDFD on a private stack, so the cost does not grow with weir's
// memory.
//
// The child gets exactly the descriptors that are named, default signal handlers, a process group of its own,
// no terminal (unless that is what it is for), and a signal for the death of the *thread* that called: spawn
// from the loop's thread only. The caller waits until exec; a failure on the way is told with its stage, and
// then there is no child.
//
// clone3 where it can be had (signal handlers reset and cgroup joined by the kernel itself), else clone.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <span>

#include "core/base/fd.h"

namespace weir {

enum class SpawnStage : std::uint8_t { none, clone, identity, proc, cgroup, descriptors, directory, exec };

struct SpawnRequest {
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* environment = nullptr;
  std::span<const int> fds;  // become 0, 1, 2, ... of the child; all others are closed, and where it is -1
  const char* directory = nullptr;  // null: the caller's
  std::uint64_t namespaces = 0;     // CLONE_NEW...; with CLONE_NEWUSER the own ids are mapped to themselves
  bool own_proc = false;          // a /proc that shows its pid namespace; needs CLONE_NEWPID and CLONE_NEWNS
  int cgroup = -1;                // directory of a cgroup v2 to be born in
  int death_signal = SIGKILL;     // when the calling thread dies; 0 is none
  std::uint64_t signal_mask = 0;  // blocked in the child, bit n-1 for signal n
  bool keep_terminal = false;     // stays in the caller's group, and on its terminal if there is one
  bool expendable =
      false;  // where memory runs out the kernel is to kill it, and what it starts, before the caller
  std::uint32_t most_processes =
      0;                     // with CLONE_NEWPID: of it and all that it starts; 0: no limit of its own
  bool plain_clone = false;  // do without clone3, for tests
};

struct Spawned {
  pid_t pid = -1;
  UniqueFd pidfd;
  SpawnStage stage = SpawnStage::none;  // where it failed
  int error = 0;                        // errno of that
};

Spawned spawn(const SpawnRequest& request);

// Which namespaces can be had is found out by trying: a child that does nothing but exit.
bool can_unshare(std::uint64_t namespaces, bool own_proc = false);

}  // namespace weir
