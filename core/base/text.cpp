#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace weir {

namespace {

// Edits (insert, delete, replace, swap of neighbours) between two words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// Splits "1.5h" into the number and its unit.
struct Quantity {
  double number;
  std::string_view unit;
};

std::optional<Quantity> parse_quantity(std::string_view text) {
  Quantity quantity{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quantity.number);
  if (error != std::errc{} || !(quantity.number >= 0)) return std::nullopt;
  quantity.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return quantity;
}

}  // namespace

std::optional<std::string_view> did_you_mean(std::string_view word,
                                             std::span<const std::string_view> candidates) {
  const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string_view> best;
  std::size_t best_distance = allowed + 1;
  for (const auto candidate : candidates) {
    // A difference in length is a lower bound, and it keeps 100,000 candidates cheap.
    const auto gap =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (gap >= best_distance) continue;
    const auto distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string format_duration(Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 60) return fmt::format("{:.1f}s", seconds);
  const auto whole = static_cast<long long>(seconds);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto quantity = parse_quantity(text);
  if (!quantity) return std::nullopt;
  const double scale = quantity->unit == "ms"  ? 1e6
                       : quantity->unit == "s" ? 1e9
                       : quantity->unit == "m" ? 60e9
                       : quantity->unit == "h" ? 3600e9
                       : quantity->unit == "d" ? 86400e9
                                               : 0;
  const double nanoseconds = quantity->number * scale;
  if (scale == 0 || !(nanoseconds < 9e18)) return std::nullopt;
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto quantity = parse_quantity(text);
  if (!quantity) return std::nullopt;
  constexpr std::string_view kUnits = "KMGT";
  double value = quantity->number;
  auto unit = quantity->unit;
  if (!unit.empty() && unit != "B") {
    const auto power = kUnits.find(unit.front());
    const auto tail = unit.substr(1);
    if (power == kUnits.npos || !(tail.empty() || tail == "B" || tail == "iB")) return std::nullopt;
    for (std::size_t i = 0; i <= power; ++i) value *= 1024;
  }
  if (!(value < 9e18)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::string without_passwords(std::string_view text) {
  std::string out;
  for (auto at = text.find("://"); at != text.npos; at = text.find("://")) {
    at += 3;
    out.append(text.substr(0, at));
    text.remove_prefix(at);
    // The last one before the path: a password may have one too.
    const auto at_sign = text.substr(0, text.find_first_of("/ \n")).rfind('@');
    if (at_sign == text.npos) continue;
    out += "***";
    text.remove_prefix(at_sign);
  }
  return out.append(text);
}

}  // namespace weir
