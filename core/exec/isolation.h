// How what weir starts is kept apart from the rest, best first; found out by trying on this machine.
#pragma once

#include <cstdint>

namespace weir {

enum class Isolation : std::uint8_t { pid_namespace, user_and_pid_namespace, subreaper };

// CLONE_NEW... of a weir-init without bubblewrap.
std::uint64_t namespaces_of(Isolation isolation);

Isolation find_isolation();

// Those around bubblewrap itself, with a /proc of their own, so that its inside dies with it at any moment; 0
// where refused.
std::uint64_t find_sandbox_namespaces(Isolation isolation);

}  // namespace weir
