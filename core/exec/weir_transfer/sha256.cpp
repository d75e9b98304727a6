#include "core/exec/weir_transfer/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "core/base/assert.h"

namespace weir::transfer {
namespace {

using ContextPointer = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

}  // namespace

struct Sha256::Context {
  ContextPointer evp{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  WEIR_ASSERT(EVP_DigestInit_ex(context_->evp.get(), EVP_sha256(), nullptr) == 1,
              "this OpenSSL has no SHA-256");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex() const {
  const ContextPointer copy(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::array<unsigned char, 32> hash{};
  const bool good = EVP_MD_CTX_copy_ex(copy.get(), context_->evp.get()) == 1 &&
                    EVP_DigestFinal_ex(copy.get(), hash.data(), nullptr) == 1;
  WEIR_ASSERT(good, "SHA-256 of OpenSSL failed");
  return fmt::format("{:02x}", fmt::join(hash, ""));
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace weir::transfer
