#include "resources/cgroups.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace weir {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  if (end != text.data() + text.size() && *end != '\n' && *end != ' ') return std::nullopt;
  return value;
}

std::optional<std::uint64_t> read_number(const std::string& path) { return parse_number(read_text(path)); }

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    const auto digits = line.find_first_not_of(' ');
    if (digits != line.npos && digits > 0) return parse_number(line.substr(digits));
  }
  return std::nullopt;
}

namespace {

bool holds(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool exists(const std::string& path) { return std::ifstream(path).good(); }

}  // namespace

// Lines of /proc/self/cgroup: "4:memory:/a/b" (v1), "0::/a/b" (v2; mounted at the root or, hybrid, in
// unified).
std::vector<CgroupMembership> cgroups_of_this_process(const ProbeRoots& roots, std::string_view controller) {
  std::vector<CgroupMembership> result;
  std::istringstream lines(read_text(roots.proc + "/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto path = line.substr(second + 1);
    if (controllers.empty()) {
      const bool hybrid = exists(roots.cgroup + "/unified/cgroup.controllers");
      result.push_back({roots.cgroup + (hybrid ? "/unified" : ""), path, true});
    } else if (holds(controllers, controller)) {
      // Controllers that are mounted together ("cpu,cpuacct") have links under their single names.
      result.push_back({roots.cgroup + "/" + std::string(controller), path, false});
    }
  }
  return result;
}

}  // namespace weir
