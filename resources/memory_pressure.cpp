#include "resources/memory_pressure.h"

#include <algorithm>
#include <charconv>

#include "resources/probe.h"

namespace weir {

namespace {

// "some avg10=1.25 avg60=..."
std::optional<double> some_avg10(const std::string& text) {
  constexpr std::string_view kKey = "some avg10=";
  const auto at = text.find(kKey);
  if (at == text.npos) return std::nullopt;
  const char* begin = text.data() + at + kKey.size();
  double value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

void raise(std::optional<double>& to, std::optional<double> value) {
  if (value && (!to || *value > *to)) to = value;
}

}  // namespace

// The limit of a cgroup above the own one presses as hard, so all of them are asked.
MemoryPressure SystemPressure::read() {
  MemoryPressure pressure;
  pressure.stalled = some_avg10(read_text(roots_.proc + "/pressure/memory"));
  for (const auto& member : cgroups_of_this_process(roots_, "memory"))
    if (member.v2)
      walk_up(member, [&](const std::string& folder) {
        raise(pressure.stalled, some_avg10(read_text(folder + "/memory.pressure")));
      });
  if (!pressure.stalled) pressure.available = probe_machine(roots_).available;
  return pressure;
}

bool MemoryBrake::holds(Time now) {
  if (!has_looked_ || now >= next_look()) {
    looked_at_ = now;
    has_looked_ = true;
    look();
  }
  return holds_;
}

void MemoryBrake::look() {
  const auto pressure = source_.read();
  if (pressure.stalled) {
    holds_ = *pressure.stalled > (holds_ ? kRelease : kHold);
  } else {
    holds_ = pressure.available < (holds_ ? 2 * reserve_ : reserve_);
  }
}

}  // namespace weir
