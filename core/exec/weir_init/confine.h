// What takes from a job in a sandbox the ways around it that namespaces and capabilities leave: the keys of
// the user, weir-init itself, and system calls (filtered_calls.inc). docs/sandbox.md has the whole.
//
// A sandbox that serves is confined once, before its first job: its jobs inherit it and pay nothing.
#pragma once

namespace weir::init {

// For good, for this process and all that it starts. What cannot be had is the end of this process.
void confine(bool user_namespaces);

}  // namespace weir::init
