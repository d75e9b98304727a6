#include "core/placement/decimal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace weir {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && is_digit(text[size])) ++size;
  const auto digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// The number behind "e"; out of range is as far as an int goes.
std::optional<long long> take_exponent(std::string_view& text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  const auto digits = take_digits(text);
  if (digits.empty()) return std::nullopt;
  long long value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || value > 1'000'000'000) value = 1'000'000'000;
  return negative ? -value : value;
}

}  // namespace

Decimal::Decimal(std::uint64_t whole) { *this = *parse(std::to_string(whole)); }

std::optional<Decimal> Decimal::parse(std::string_view text) {
  Decimal out;
  out.negative_ = take(text, '-');
  const auto whole = take_digits(text);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
  out.digits_ = whole;
  long long exponent = 0;
  if (take(text, '.')) {
    const auto fraction = take_digits(text);
    if (fraction.empty()) return std::nullopt;
    out.digits_ += fraction;
    exponent = -static_cast<long long>(fraction.size());
  }
  if (take(text, 'e') || take(text, 'E')) {
    const auto given = take_exponent(text);
    if (!given) return std::nullopt;
    exponent += *given;
  }
  if (!text.empty()) return std::nullopt;
  const auto last = out.digits_.find_last_not_of('0');
  if (last == std::string::npos) return Decimal();
  exponent += static_cast<long long>(out.digits_.size() - 1 - last);
  out.digits_.erase(last + 1);
  out.digits_.erase(0, out.digits_.find_first_not_of('0'));
  const auto places = exponent + static_cast<long long>(out.digits_.size());
  if (out.digits_.size() > kMostDigits || places > kMostPlaces || places < -kMostPlaces) return std::nullopt;
  out.exponent_ = static_cast<int>(exponent);
  return out;
}

std::optional<Decimal> Decimal::from(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return parse(fmt::format("{}", value));
}

std::optional<std::int64_t> Decimal::whole() const {
  if (is_zero()) return 0;
  if (exponent_ < 0 || digits_.size() + static_cast<std::size_t>(exponent_) > 19) return std::nullopt;
  const std::string all =
      (negative_ ? "-" : "") + digits_ + std::string(static_cast<std::size_t>(exponent_), '0');
  std::int64_t value = 0;
  if (std::from_chars(all.data(), all.data() + all.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

double Decimal::approximate() const {
  double value = 0;
  const auto shortened = text();
  std::from_chars(shortened.data(), shortened.data() + shortened.size(), value);
  return value;
}

std::string Decimal::text() const {
  if (is_zero()) return "0";
  return fmt::format("{}{}e{}", negative_ ? "-" : "", digits_, exponent_);
}

std::strong_ordering Decimal::compare_sizes(const Decimal& other) const {
  if (is_zero() || other.is_zero()) return !is_zero() <=> !other.is_zero();
  const auto places = [](const Decimal& d) { return static_cast<long long>(d.digits_.size()) + d.exponent_; };
  if (const auto order = places(*this) <=> places(other); order != 0) return order;
  // Both as 0.DIGITS: no zeros at the end, so a prefix is the smaller one.
  return digits_.compare(other.digits_) <=> 0;
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  if (negative_ != other.negative_)
    return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  return negative_ ? other.compare_sizes(*this) : compare_sizes(other);
}

}  // namespace weir
