// Where this process stands in the cgroup hierarchies of its machine, v1 and v2, also side by side (hybrid),
// and reading the small files of /proc and of cgroups. Files that are missing or make no sense are no answer,
// never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// Arguments, so that tests describe machines by folders.
struct ProbeRoots {
  std::string proc = "/proc";
  std::string cgroup = "/sys/fs/cgroup";
};

std::string read_text(const std::string& path);
// A number with nothing but a space or the end of the line behind it.
std::optional<std::uint64_t> parse_number(std::string_view text);
std::optional<std::uint64_t> read_number(const std::string& path);
// Of lines like "oom_kill 3" or "MemTotal:       8010588 kB": the number of the line that begins with `key`.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key);

// The place of this process in one hierarchy.
struct CgroupMembership {
  std::string mount;
  std::string path;
  bool v2 = false;
  std::string folder() const { return path == "/" ? mount : mount + path; }
};
// Those that may hold the controller: the one of v1, if it is mounted, and the one of v2.
std::vector<CgroupMembership> cgroups_of_this_process(const ProbeRoots& roots, std::string_view controller);

// From the own cgroup up to the root; in a container the upper part of the path may not be there, and then
// the mount is the own cgroup.
template <class Visit>
void walk_up(const CgroupMembership& member, Visit visit) {
  for (auto path = member.path == "/" ? std::string() : member.path;;) {
    visit(member.mount + path);
    if (path.empty()) return;
    const auto slash = path.rfind('/');
    path.resize(slash == path.npos ? 0 : slash);
  }
}

}  // namespace weir
