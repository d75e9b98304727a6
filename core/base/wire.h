// Canonical bytes: fixed-width little-endian integers and length-prefixed strings, fields in a fixed order.
// The same value always gives the same bytes. Header-only and free of exceptions, so that weir-init can be
// built with it alone.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace weir::wire {

class Writer {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { put(&value, sizeof value); }
  void u64(std::uint64_t value) { put(&value, sizeof value); }
  void i64(std::int64_t value) { put(&value, sizeof value); }
  void text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "put() copies the host's order");
  void put(const void* value, std::size_t size) { bytes_.append(static_cast<const char*>(value), size); }
  std::string bytes_;
};

// Reads what Writer wrote. A read past the end gives zero or an empty string and makes ok() false for good,
// so a decoder checks once, at its end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::uint8_t u8() { return fixed<std::uint8_t>(); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  std::int64_t i64() { return fixed<std::int64_t>(); }
  std::string_view text() { return take(u32()); }
  // A count of items that each take at least `least` bytes: refuses counts that the rest cannot hold.
  std::uint32_t count(std::size_t least = 1) {
    const auto value = u32();
    if (value > rest_.size() / least) ok_ = false;
    return ok_ ? value : 0;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  void mark_bad() { ok_ = false; }

 private:
  template <class T>
  T fixed() {
    T value{};
    const auto raw = take(sizeof value);
    if (ok_) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view take(std::size_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace weir::wire
