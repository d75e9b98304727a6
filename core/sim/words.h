// Settings of placement that more than one simulation takes.
#pragma once

#include "core/placement/allocation.h"
#include "core/placement/cache_placer.h"
#include "core/placement/json_input.h"

namespace weir::sim {

// 30 years; deadlines stay far from the end of the clock.
inline constexpr std::int64_t kLongestMs = 1'000'000'000'000;

inline Loans read_loans(const JsonInput& input) {
  constexpr std::string_view kWords[] = {"plain", "accounted"};
  const auto loans = input["loans"];
  return loans.is_present() ? static_cast<Loans>(loans.one_of(kWords)) : Loans::plain;
}

inline Duration read_ms(const JsonInput& input, std::string_view name, Duration otherwise) {
  const auto member = input[name];
  return member.is_present() ? std::chrono::milliseconds(member.whole(0, kLongestMs)) : otherwise;
}

inline CachePlacerSettings read_placer(const JsonInput& input, bool skip_empty_stages) {
  constexpr std::string_view kPicks[] = {"cache-first", "random"};
  CachePlacerSettings out;
  out.cache_timeout = read_ms(input, "cache_timeout_ms", out.cache_timeout);
  out.deps_timeout = read_ms(input, "deps_timeout_ms", out.deps_timeout);
  if (const auto pick = input["pick"]; pick.is_present())
    out.pick = static_cast<PickRule>(pick.one_of(kPicks));
  const auto skip = input["skip_empty_stages"];
  out.skip_empty_stages = skip.is_present() ? skip.boolean() : skip_empty_stages;
  if (const auto seed = input["seed"]; seed.is_present())
    out.seed = static_cast<std::uint64_t>(seed.whole(0, std::numeric_limits<std::int64_t>::max()));
  return out;
}

}  // namespace weir::sim
