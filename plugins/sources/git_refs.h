// Which commit is meant, in the list of refs that a remote gave (`git ls-remote`).
#pragma once

#include <string>
#include <string_view>

namespace weir::kinds {

// `track` is compared as text and becomes part of no command: a branch, else a tag, else a full name
// (refs/...). With `*` or
// `?` the highest version among the tags that match, else among branches. Empty: what HEAD is. Throws Refused
// if there is no such thing.
std::string find_git_ref(std::string_view refs, std::string_view track);

// "1.9" < "1.10", "1.0-rc1" < "1.0": numbers by value, what is a release candidate before its release.
bool version_less(std::string_view a, std::string_view b);

}  // namespace weir::kinds
