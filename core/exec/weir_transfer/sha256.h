// SHA-256 of what streams by. (The store has one of its own: this program knows nothing of the store.)
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace weir::transfer {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  std::string hex() const;  // of all so far; more may follow

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace weir::transfer
