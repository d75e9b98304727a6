// The part of protobuf's wire format that REAPI messages of the store need: varints and length-delimited
// fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::store::proto {

enum class WireType : unsigned char { varint = 0, eight = 1, bytes = 2, four = 5 };

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

inline void put_bytes(std::string& out, unsigned field, std::string_view bytes) {
  put_varint(out, field << 3 | static_cast<unsigned>(WireType::bytes));
  put_varint(out, bytes.size());
  out.append(bytes);
}

// proto3 leaves out a value that is the default.
inline void put_number(std::string& out, unsigned field, std::uint64_t value) {
  if (value == 0) return;
  put_varint(out, field << 3 | static_cast<unsigned>(WireType::varint));
  put_varint(out, value);
}

struct Field {
  unsigned number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;
  std::string_view bytes;
};

// Fields one by one; after damaged bytes next() is false and ok() too.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }

  bool next(Field& field) {
    if (!ok_ || rest_.empty()) return false;
    const auto tag = varint();
    field = {static_cast<unsigned>(tag >> 3), static_cast<WireType>(tag & 7), 0, {}};
    if (field.type == WireType::varint) {
      field.value = varint();
    } else if (field.type == WireType::bytes) {
      const auto size = varint();
      if (size > rest_.size()) ok_ = false;
      if (ok_) field.bytes = rest_.substr(0, size);
      if (ok_) rest_.remove_prefix(size);
    } else if (field.type == WireType::eight || field.type == WireType::four) {
      skip(field.type == WireType::eight ? 8 : 4);  // of messages that others wrote: weir's own have none
    } else {
      ok_ = false;
    }
    return ok_;
  }

 private:
  void skip(std::size_t bytes) {
    if (bytes > rest_.size()) ok_ = false;
    else rest_.remove_prefix(bytes);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace weir::store::proto
