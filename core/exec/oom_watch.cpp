#include "core/exec/oom_watch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace weir {

namespace {

constexpr int kKilled = 128 + 9;  // as shells say it

// Of v2 the nearest folder that has the file: below a cgroup without the controller there is none, and its
// kills count above.
UniqueFd open_counter(const CgroupMembership& member) {
  UniqueFd file;
  walk_up(member, [&](const std::string& folder) {
    const auto path = folder + (member.v2 ? "/memory.events" : "/memory.oom_control");
    if (!file) file = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  });
  return file;
}

std::uint64_t count_in(int file) {
  std::array<char, 512> text;
  const auto got = ::pread(file, text.data(), text.size(), 0);
  return got > 0 ? number_after({text.data(), static_cast<std::size_t>(got)}, "oom_kill").value_or(0) : 0;
}

}  // namespace

OomWatch::OomWatch(const ProbeRoots& roots) {
  for (const auto& member : cgroups_of_this_process(roots, "memory"))
    if (auto file = open_counter(member)) files_.push_back(std::move(file));
}

std::uint64_t OomWatch::kills() const {
  std::uint64_t count = 0;
  for (const auto& file : files_) count += count_in(file.get());
  return count;
}

std::uint64_t OomWatch::explain(std::uint64_t before, int exit) {
  const auto now = kills();
  const auto since = exit == kKilled ? before : std::max(before, explained_);
  if (now <= since) return 0;
  explained_ = now;
  return now - since;
}

std::string_view complaint_about_memory(std::string_view output) {
  constexpr std::size_t kTail = 4096;
  if (output.size() > kTail) output.remove_prefix(output.size() - kTail);
  constexpr std::string_view kWords[] = {
      "Cannot allocate memory", "cannot allocate memory", "out of memory", "Out of memory",
      "memory exhausted",       "std::bad_alloc",         "MemoryError"};
  for (const auto word : kWords)
    if (output.find(word) != output.npos) return word;
  return {};
}

std::optional<std::uint64_t> address_space_limit() {
  std::optional<std::uint64_t> least;
  for (const auto which : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit;
    if (::getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    least = std::min<std::uint64_t>(least.value_or(limit.rlim_cur), limit.rlim_cur);
  }
  return least;
}

}  // namespace weir
