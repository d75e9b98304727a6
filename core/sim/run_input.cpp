#include "core/sim/run_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/sim/words.h"

namespace weir::sim {

namespace {

constexpr double kMost = 1e15;
constexpr std::int64_t kMostWorkers = 1'000'000;
constexpr std::int64_t kMostJobs = 10'000'000;  // some 4 GB, and less than a scheduler can have running

std::uint32_t whole_or(const JsonInput& input, std::string_view name, std::int64_t least, std::int64_t most,
                       std::int64_t otherwise) {
  const auto member = input[name];
  return static_cast<std::uint32_t>(member.is_present() ? member.whole(least, most) : otherwise);
}

double real_or(const JsonInput& input, std::string_view name, double least, double most, double otherwise) {
  const auto member = input[name];
  return member.is_present() ? member.real(least, most) : otherwise;
}

Lognormal read_lognormal(const JsonInput& input) {
  return {input["median"].real(1e-3, kMost), real_or(input, "sigma", 0, 10, 0)};
}

void read_classes(const JsonInput& input, RunInput& out) {
  const auto items = input.items();
  if (input.is_present() && items.empty()) input.complain("there are no classes");
  for (const auto& item : items) {
    LoadClass one{item["name"].text(), item["load"].decimal()};
    const auto same = [&](const LoadClass& other) { return other.name == one.name; };
    if (std::any_of(out.loads.classes.begin(), out.loads.classes.end(), same))
      item["name"].complain("is the name of two classes");
    out.loads.classes.push_back(std::move(one));
  }
}

// Without shares all classes have as many builds.
void read_share(const JsonInput& input, RunInput& out) {
  out.share.assign(out.loads.classes.size(), input.is_present() ? 0 : 1);
  if (!input.is_present()) return;
  double total = 0;
  for (const auto& [name, value] : input.members()) {
    const auto found = std::find_if(out.loads.classes.begin(), out.loads.classes.end(),
                                    [&wanted = name](const LoadClass& one) { return one.name == wanted; });
    if (found == out.loads.classes.end()) value.complain("is no class");
    else
      total += out.share[static_cast<std::size_t>(found - out.loads.classes.begin())] = value.real(0, kMost);
  }
  if (total <= 0) input.complain("no class has builds");
}

void read_builds(const JsonInput& input, RunInput& out) {
  constexpr std::string_view kShapes[] = {"layered"};
  out.builds = whole_or(input, "count", 1, kMostJobs, 1);
  out.jobs_each = static_cast<std::uint32_t>(input["jobs_each"].whole(1, kMostJobs));
  if (static_cast<std::int64_t>(out.builds) * out.jobs_each > kMostJobs)
    input.complain(fmt::format("are more than {} jobs in all", kMostJobs));
  if (const auto shape = input["shape"]; shape.is_present()) shape.one_of(kShapes);
  out.depth = whole_or(input, "depth", 1, out.jobs_each, 1);
  out.fan_in = whole_or(input, "fan_in", 0, 1000, 0);
  out.duration_ms = read_lognormal(input["duration_ms"]);
  out.arrival_s = real_or(input, "arrival_s", 0, 1e9, 0);
  read_share(input["share"], out);
}

void read_faults(const JsonInput& input, RunInput& out) {
  if (!input.is_present()) return;
  out.worker_mtbf_s = real_or(input, "worker_mtbf_s", 0, 1e12, 0);
  out.repair_s = real_or(input, "repair_s", 0, 1e9, out.repair_s);
  out.slow_fraction = real_or(input, "slow_fraction", 0, 1, 0);
  out.slow_factor = real_or(input, "slow_factor", 1, 1e6, out.slow_factor);
  // Less than a second between failures: no job ever ends.
  if (out.worker_mtbf_s > 0 && out.worker_mtbf_s < 1)
    input["worker_mtbf_s"].complain("must be 0 or at least 1");
}

void read_rebalance(const JsonInput& input, RunInput& out) {
  if (!input.is_present()) {
    out.loads.threshold = Decimal(1'000'000);  // no spread is as wide: off
    return;
  }
  if (const auto threshold = input["threshold"]; threshold.is_present())
    out.loads.threshold = threshold.decimal();
  out.loads.min_duration = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(real_or(input, "min_duration_s", 0, 1e9, 60)));
}

bool is_second(const JsonInput& input, std::string_view name, std::span<const std::string_view> words) {
  const auto member = input[name];
  return member.is_present() && member.one_of(words) >= 1;
}

}  // namespace

RunInput read_run_input(const JsonInput& input) {
  constexpr std::string_view kAllocators[] = {"load-based", "none"};
  constexpr std::string_view kPlacers[] = {"cache-aware", "local", "global"};
  RunInput out;
  out.workers = static_cast<std::uint32_t>(input["workers"].whole(1, kMostWorkers));
  out.slots = whole_or(input, "slots", 1, 1000, 1);
  out.placer = read_placer(input, true);
  out.seed = out.placer.seed;
  out.by_load = !is_second(input, "allocate", kAllocators);
  out.cache_aware = !is_second(input, "place", kPlacers);
  out.loads.loans = read_loans(input);
  read_rebalance(input["rebalance"], out);
  read_classes(input["classes"], out);
  read_builds(input["builds"], out);
  if (const auto bytes = input["artifact_bytes"]; bytes.is_present())
    out.artifact_bytes = read_lognormal(bytes);
  out.bandwidth_bytes_per_s = real_or(input, "bandwidth_bytes_per_s", 0, 1e15, 0);
  read_faults(input["faults"], out);
  return out;
}

}  // namespace weir::sim
