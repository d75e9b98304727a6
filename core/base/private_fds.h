// Descriptors that no child gets, not even for the moment between fork and exec: those from here on are left
// out when a child gets its table (core/exec/spawn.cpp). For files with thousands of locks: the kernel walks
// all locks of a file when a process closes it, and every child would.
#pragma once

namespace weir {

inline constexpr int kFirstPrivateFd = 512;

}  // namespace weir
