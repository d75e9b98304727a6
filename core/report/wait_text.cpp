#include "core/report/wait_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace weir {

namespace {

std::string bytes(std::int64_t amount) {
  return format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, amount)));
}

std::string awaited(const RunPicture::Wait& wait) {
  if (wait.what == "memory" && wait.need && wait.free)
    return fmt::format("memory: needs {}, {} free", bytes(*wait.need), bytes(*wait.free));
  if (wait.what == "memory" && wait.name == "pressure") return "memory: this machine is short of it";
  if (wait.what == "memory" && wait.name == "caution")
    return "memory: a job was killed for want of it, and nobody knows what this one needs";
  if (wait.need && wait.free) return fmt::format("{}: needs {}, {} free", wait.name, *wait.need, *wait.free);
  if (wait.what == "lane") return fmt::format("its turn in lane {}", wait.name);
  if (wait.what == "place") return wait.name.empty() ? "a worker" : fmt::format("a place on {}", wait.name);
  if (wait.what == "class") return fmt::format("the share of class {}", wait.name);
  if (wait.what == "breaker") return "this machine: too many failures that were not the jobs'";
  if (wait.what == "lock") return "another weir that builds it";
  if (wait.what == "backoff") return "its next attempt";
  return wait.name.empty() ? wait.what : fmt::format("{} {}", wait.what, wait.name);
}

}  // namespace

std::string wait_text(const RunPicture::Wait& wait) {
  return fmt::format("{} {} waits for {}", wait.queue, wait.element, awaited(wait));
}

}  // namespace weir
