#include "core/report/gitlab.h"

#include <fmt/format.h>

namespace weir {

namespace {

constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

}  // namespace

std::string gitlab_section_name(std::string_view text) {
  std::string name(text);
  for (auto& c : name)
    if (kAllowed.find(c) == kAllowed.npos) c = '_';
  return name;
}

// A name may stand only once in a log.
std::string GitlabHost::section() const { return fmt::format("weir_{}_{}", name_, sections_); }

std::string GitlabHost::fold_begin(WallTime now) {
  ++sections_;
  return fmt::format("\x1b[0Ksection_start:{}:{}[collapsed=true]\r\x1b[0Kweir: progress\n",
                     std::chrono::system_clock::to_time_t(now), section());
}

std::string GitlabHost::fold_end(WallTime now) {
  return fmt::format("\x1b[0Ksection_end:{}:{}\r\x1b[0K\n", std::chrono::system_clock::to_time_t(now),
                     section());
}

}  // namespace weir
