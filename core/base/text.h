// Words for people: near misses, durations, sizes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/clock.h"

namespace weir {

// The candidate a person most likely meant, if one is near enough (a third of the letters, at least one).
std::optional<std::string_view> did_you_mean(std::string_view word,
                                             std::span<const std::string_view> candidates);

std::string format_duration(Duration duration);                   // "0.4s", "12.3s", "4m05s", "2h03m"
std::string format_bytes(std::uint64_t bytes);                    // "512 B", "1.5 KiB", "2.0 GiB"
std::optional<Duration> parse_duration(std::string_view text);    // "250ms", "10s", "5m", "2h"
std::optional<std::uint64_t> parse_bytes(std::string_view text);  // "600M", "2G", "4096"; powers of 1024

// "https://me:secret@host/x" without what stands before the @; other text stays as it is.
std::string without_passwords(std::string_view text);

}  // namespace weir
