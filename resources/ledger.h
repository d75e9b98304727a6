// Who holds which tokens. A token is a counted thing of the machine or of the project (process, memory in
// bytes, download, "license"); a request is a vector of them and is granted whole or not at all.
//
// Invariants, asserted: what is granted is given back exactly once; a shared grant never takes more than is
// free; an exclusive grant has its token alone. Owner: the run. Thread: the loop's.
//
// Requests are interned: jobs with the same needs share one RequestId, so that a queue of a million jobs asks
// the ledger once per distinct need and not once per job.
//
// Fairness: a request that was refused may register a Claim. From then on nobody who claimed later, or not at
// all, gets what the claimant still lacks, so running jobs drain towards it. Whoever waits decides when to
// claim (the scheduler: exclusive requests at once, others after a number of overtakings).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace weir {

enum class TokenId : std::uint16_t {};
enum class RequestId : std::uint16_t {};

struct TokenNeed {
  TokenId token{};
  std::int64_t amount = 1;
  bool exclusive = false;
  bool operator==(const TokenNeed&) const = default;
};

// Why a request was refused: the first token that stands in the way.
struct Shortage {
  TokenId token{};
  std::int64_t need = 0;
  std::int64_t free = 0;
};

class Ledger {
 public:
  // Gives its tokens back when it dies.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept
        : ledger_(std::exchange(other.ledger_, nullptr)), request_(other.request_) {}
    Reservation& operator=(Reservation&& other) noexcept {
      if (this != &other) {
        release();
        ledger_ = std::exchange(other.ledger_, nullptr);
        request_ = other.request_;
      }
      return *this;
    }
    ~Reservation() { release(); }
    void release() {
      if (ledger_) std::exchange(ledger_, nullptr)->give_back(request_);
    }
    explicit operator bool() const { return ledger_ != nullptr; }
    RequestId request() const { return request_; }

   private:
    friend class Ledger;
    Reservation(Ledger& ledger, RequestId request) : ledger_(&ledger), request_(request) {}
    Ledger* ledger_ = nullptr;
    RequestId request_{};
  };

  // A place in the line for tokens that are not free yet; gives it up when it dies.
  class Claim {
   public:
    Claim() = default;
    Claim(Claim&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)), order_(other.order_) {}
    Claim& operator=(Claim&& other) noexcept {
      if (this != &other) {
        drop();
        ledger_ = std::exchange(other.ledger_, nullptr);
        order_ = other.order_;
      }
      return *this;
    }
    ~Claim() { drop(); }
    void drop() {
      if (ledger_) std::exchange(ledger_, nullptr)->drop_claim(order_);
    }
    explicit operator bool() const { return ledger_ != nullptr; }

   private:
    friend class Ledger;
    Claim(Ledger& ledger, std::uint64_t order) : ledger_(&ledger), order_(order) {}
    Ledger* ledger_ = nullptr;
    std::uint64_t order_ = 0;
  };

  Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  TokenId add(std::string_view name, std::int64_t capacity);
  std::optional<TokenId> find(std::string_view name) const;
  std::string_view name(TokenId token) const { return pool(token).name; }
  std::int64_t capacity(TokenId token) const { return pool(token).capacity; }
  std::int64_t used(TokenId token) const { return pool(token).used; }
  std::size_t tokens() const { return pools_.size(); }

  // May go below what is in use: then nothing is granted until enough came back. Negative values are refused.
  Status set_capacity(TokenId token, std::int64_t capacity);

  // Of its capacity only so many may be used for now: the rest is somebody else's, who lends it. Who asks
  // while nothing is in use gets what it needs all the same, so that something always runs.
  void set_allowance(TokenId token, std::int64_t allowance) { pool(token).allowance = allowance; }
  // How many more could be had by somebody who takes them one by one, claims aside.
  std::int64_t free(TokenId token) const { return pool(token).usable() - pool(token).used; }

  // Several needs of one token add up. Refused in words if it asks for more than there is, for nothing at all
  // of a token (amount < 1) or for an unknown token: such a job could never run. What was interned before is
  // never refused: if there is less now, it waits as the others with the same needs do.
  Result<RequestId> intern(std::span<const TokenNeed> needs);
  // Whether intern() would take it; nothing is kept.
  Status check(std::span<const TokenNeed> needs) const;
  std::span<const TokenNeed> needs(RequestId request) const {
    return requests_[static_cast<std::size_t>(request)];
  }
  bool exclusive(RequestId request) const;
  std::size_t requests() const { return requests_.size(); }

  // `claim` is the asker's own place in the line, if it has one.
  std::optional<Shortage> shortage(RequestId request, const Claim& claim) const;
  // An empty Reservation if there is a shortage.
  Reservation try_reserve(RequestId request, const Claim& claim);
  Claim claim(RequestId request);

  // Nothing is held and nobody stands in line.
  bool idle() const;

 private:
  struct Pool {
    std::string name;
    std::int64_t capacity = 0;
    std::int64_t used = 0;
    std::int64_t allowance = std::numeric_limits<std::int64_t>::max();
    std::int64_t usable() const { return used == 0 ? capacity : std::min(capacity, allowance); }
    std::uint32_t holders = 0;
    bool exclusive = false;  // the one holder has it alone
  };
  struct Claimed {
    std::uint64_t order;
    RequestId request;
  };

  const Pool& pool(TokenId token) const { return pools_[static_cast<std::size_t>(token)]; }
  Pool& pool(TokenId token) { return pools_[static_cast<std::size_t>(token)]; }
  Result<std::vector<TokenNeed>> summed(std::span<const TokenNeed> needs) const;
  std::optional<RequestId> known(const std::vector<TokenNeed>& summed) const;
  Status check_capacity(const std::vector<TokenNeed>& summed) const;
  bool lacks(const TokenNeed& need, std::int64_t claimed, bool claimed_exclusive) const;
  void give_back(RequestId request);
  void drop_claim(std::uint64_t order);

  std::vector<Pool> pools_;
  std::vector<std::vector<TokenNeed>> requests_;
  std::vector<Claimed> claims_;  // in order; one per distinct waiting request at most, so a handful
  std::uint64_t next_claim_ = 1;
};

}  // namespace weir
