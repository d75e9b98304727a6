// What content is called: SHA-256 and size. A Digest names bytes, a Key names a recipe (the hash of a
// document that is kept); they are two types so that one is never looked up as the other. Values; any thread.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace weir::store {

using Sha256 = std::array<unsigned char, 32>;

// The 32 bytes themselves, as long as `hash` lives.
inline std::string_view bytes_of(const Sha256& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}
std::string to_hex(const Sha256& hash);
std::optional<Sha256> parse_hex(std::string_view text);  // 64 lower-case digits, as REAPI has them

struct Digest {
  Sha256 hash{};
  std::uint64_t size = 0;

  auto operator<=>(const Digest&) const = default;
  std::string hex() const { return to_hex(hash); }
  // "<64 hex digits>/<size>": the form in JobSpec inputs, pin files and messages.
  std::string text() const;
  static std::optional<Digest> parse(std::string_view text);
};

struct Key {
  Sha256 hash{};

  auto operator<=>(const Key&) const = default;
  std::string hex() const { return to_hex(hash); }
  static Key of(std::string_view document);
  static std::optional<Key> parse(std::string_view hex);
};

// A SHA-256 is uniform already: its first bytes are the hash value.
struct HashOf {
  std::size_t operator()(const Sha256& hash) const {
    std::size_t value;
    std::memcpy(&value, hash.data(), sizeof value);
    return value;
  }
  std::size_t operator()(const Digest& digest) const { return (*this)(digest.hash); }
  std::size_t operator()(const Key& key) const { return (*this)(key.hash); }
};

// Streaming; may be used again after finish().
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  void update(std::string_view bytes);
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::uint64_t size_ = 0;
};

Digest digest_of(std::string_view bytes);

}  // namespace weir::store
