#pragma once

#include <poll.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace weir::test {

// A deadline, not a sleep: the condition is what is waited for, and a test that passes is as fast as the
// condition. `every`: of a condition that costs a process to look at.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds every = std::chrono::milliseconds(1)) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, static_cast<int>(every.count()));
  }
  return true;
}

// The file of that name below a folder that running processes change; empty if it was not seen.
inline std::filesystem::path find_below(const std::string& folder, std::string_view name) {
  std::error_code gone;  // what is removed on the way is passed over, or ends the search
  for (auto entry = std::filesystem::recursive_directory_iterator(folder, gone);
       entry != std::filesystem::recursive_directory_iterator(); entry.increment(gone))
    if (entry->path().filename() == name) return entry->path();
  return {};
}

}  // namespace weir::test
