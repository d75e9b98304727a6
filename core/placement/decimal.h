// A number as a person wrote it: "33.3" is exactly 333 / 10. Loads are kept so, since 0.1 has no double and a
// share that is rounded twice may be two workers off.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

class Decimal {
 public:
  // Beyond it the text is not a load but an attack on memory.
  static constexpr int kMostDigits = 400;
  // Zeros before or behind the point: what others read as a double (JSON) stays a number there, neither zero
  // nor infinite.
  static constexpr int kMostPlaces = 305;

  Decimal() = default;
  explicit Decimal(std::uint64_t whole);
  // A number of JSON. Nothing for other text ("nan", "1,5") and for what is out of bounds.
  static std::optional<Decimal> parse(std::string_view text);
  // By its shortest text. Nothing for NaN and the infinities.
  static std::optional<Decimal> from(double value);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return negative_; }
  // A whole number that fits.
  std::optional<std::int64_t> whole() const;
  double approximate() const;
  std::string text() const;

  // The value is digits() * 10^exponent(), without zeros at either end; zero has no digits.
  const std::string& digits() const { return digits_; }
  int exponent() const { return exponent_; }

  std::strong_ordering operator<=>(const Decimal& other) const;
  bool operator==(const Decimal&) const = default;

 private:
  std::strong_ordering compare_sizes(const Decimal& other) const;

  std::string digits_;
  int exponent_ = 0;
  bool negative_ = false;
};

}  // namespace weir
