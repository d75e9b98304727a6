#include "core/store/digest.h"

// The plain functions, not EVP: linked statically they are 30 kB of the same assembly. To load libcrypto.so
// alone took 1.4 ms of CPU time, in a small program on a busy machine.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <charconv>
#include <utility>

#include "core/base/assert.h"

namespace weir::store {

namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string to_hex(const Sha256& hash) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(2 * hash.size(), '0');
  for (std::size_t i = 0; i < hash.size(); ++i) {
    text[2 * i] = kDigits[hash[i] >> 4];
    text[2 * i + 1] = kDigits[hash[i] & 15];
  }
  return text;
}

std::optional<Sha256> parse_hex(std::string_view text) {
  Sha256 hash{};
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const int high = digit_of(text[2 * i]);
    const int low = digit_of(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    hash[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return hash;
}

std::string Digest::text() const { return hex() + "/" + std::to_string(size); }

std::optional<Digest> Digest::parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto hash = parse_hex(text.substr(0, slash));
  const auto number = text.substr(slash + 1);
  Digest digest;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), digest.size);
  if (!hash || error != std::errc{} || end != number.data() + number.size()) return std::nullopt;
  digest.hash = *hash;
  return digest;
}

Key Key::of(std::string_view document) { return Key{digest_of(document).hash}; }

std::optional<Key> Key::parse(std::string_view hex) {
  const auto hash = parse_hex(hex);
  if (!hash) return std::nullopt;
  return Key{*hash};
}

struct Hasher::Context {
  Context() { begin(); }
  void begin() { WEIR_ASSERT(SHA256_Init(&sha) == 1, "OpenSSL cannot start a digest"); }
  SHA256_CTX sha;
};

Hasher::Hasher() : context_(std::make_unique<Context>()) {}
Hasher::~Hasher() = default;

void Hasher::update(std::string_view bytes) {
  WEIR_ASSERT(SHA256_Update(&context_->sha, bytes.data(), bytes.size()) == 1, "OpenSSL failed after {} bytes",
              size_);
  size_ += bytes.size();
}

Digest Hasher::finish() {
  Digest digest;
  digest.size = std::exchange(size_, 0);
  WEIR_ASSERT(SHA256_Final(digest.hash.data(), &context_->sha) == 1, "OpenSSL failed after {} bytes",
              digest.size);
  context_->begin();
  return digest;
}

Digest digest_of(std::string_view bytes) {
  thread_local Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

}  // namespace weir::store
