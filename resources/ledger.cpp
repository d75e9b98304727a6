#include "resources/ledger.h"

#include <algorithm>

#include "core/base/assert.h"

namespace weir {

TokenId Ledger::add(std::string_view name, std::int64_t capacity) {
  WEIR_ASSERT(!find(name), "token {} is there already", name);
  WEIR_ASSERT(capacity >= 0, "token {} has {}", name, capacity);
  Pool pool;
  pool.name = name;
  pool.capacity = capacity;
  pools_.push_back(std::move(pool));
  return TokenId{static_cast<std::uint16_t>(pools_.size() - 1)};
}

std::optional<TokenId> Ledger::find(std::string_view name) const {
  for (std::size_t i = 0; i < pools_.size(); ++i)
    if (pools_[i].name == name) return TokenId{static_cast<std::uint16_t>(i)};
  return std::nullopt;
}

Status Ledger::set_capacity(TokenId token, std::int64_t capacity) {
  if (capacity < 0)
    return fail(Reason::usage, fmt::format("setting {} to {}: it cannot be negative", name(token), capacity));
  pool(token).capacity = capacity;
  return {};
}

// One need per token, in order of tokens.
Result<std::vector<TokenNeed>> Ledger::summed(std::span<const TokenNeed> needs) const {
  std::vector<TokenNeed> sorted;
  for (const auto& need : needs) {
    if (static_cast<std::size_t>(need.token) >= pools_.size())
      return fail(Reason::bug, "a request for an unknown token");
    if (need.amount < 1)
      return fail(Reason::project,
                  fmt::format("needs {} of {}: ask for at least 1", need.amount, name(need.token)));
    const auto same =
        std::find_if(sorted.begin(), sorted.end(), [&](const auto& n) { return n.token == need.token; });
    if (same == sorted.end()) {
      sorted.push_back(need);
    } else {
      same->amount += need.amount;
      same->exclusive |= need.exclusive;
    }
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
  return sorted;
}

std::optional<RequestId> Ledger::known(const std::vector<TokenNeed>& summed) const {
  const auto at = std::find(requests_.begin(), requests_.end(), summed);
  if (at == requests_.end()) return std::nullopt;
  return RequestId{static_cast<std::uint16_t>(at - requests_.begin())};
}

Status Ledger::check_capacity(const std::vector<TokenNeed>& summed) const {
  for (const auto& need : summed)
    if (need.amount > pool(need.token).capacity)
      return fail(Reason::project,
                  fmt::format("needs {} of {}, but there is only {}", need.amount, name(need.token),
                              capacity(need.token)),
                  fmt::format("raise {} in [resources] or ask for less", name(need.token)));
  return {};
}

Status Ledger::check(std::span<const TokenNeed> needs) const {
  const auto all = summed(needs);
  if (!all) return tl::unexpected(all.error());
  if (known(*all)) return {};
  return check_capacity(*all);
}

Result<RequestId> Ledger::intern(std::span<const TokenNeed> needs) {
  auto all = summed(needs);
  if (!all) return tl::unexpected(all.error());
  if (const auto same = known(*all)) return *same;
  if (auto enough = check_capacity(*all); !enough) return tl::unexpected(enough.error());
  WEIR_ASSERT(requests_.size() < 0xffff, "{} distinct requests", requests_.size());
  requests_.push_back(std::move(*all));
  return RequestId{static_cast<std::uint16_t>(requests_.size() - 1)};
}

bool Ledger::exclusive(RequestId request) const {
  const auto all = needs(request);
  return std::any_of(all.begin(), all.end(), [](const auto& need) { return need.exclusive; });
}

bool Ledger::lacks(const TokenNeed& need, std::int64_t claimed, bool claimed_exclusive) const {
  const auto& p = pool(need.token);
  if (p.exclusive || claimed_exclusive) return true;
  if (need.exclusive) return p.holders > 0 || claimed > 0 || need.amount > p.capacity;
  return need.amount > p.usable() - p.used - claimed;
}

std::optional<Shortage> Ledger::shortage(RequestId request, const Claim& own) const {
  for (const auto& need : needs(request)) {
    std::int64_t claimed = 0;
    bool claimed_exclusive = false;
    for (const auto& other : claims_) {
      if (own && other.order >= own.order_) break;  // stands behind us
      for (const auto& theirs : needs(other.request))
        if (theirs.token == need.token) {
          claimed += theirs.amount;
          claimed_exclusive |= theirs.exclusive;
        }
    }
    if (lacks(need, claimed, claimed_exclusive)) {
      const auto& p = pool(need.token);
      const bool nothing = p.exclusive || claimed_exclusive;
      const auto free = nothing ? 0 : std::max<std::int64_t>(0, p.usable() - p.used - claimed);
      return Shortage{need.token, need.exclusive ? p.capacity : need.amount, free};
    }
  }
  return std::nullopt;
}

Ledger::Reservation Ledger::try_reserve(RequestId request, const Claim& own) {
  if (shortage(request, own)) return {};
  for (const auto& need : needs(request)) {
    auto& p = pool(need.token);
    p.used += need.amount;
    ++p.holders;
    p.exclusive = need.exclusive;
  }
  return Reservation(*this, request);
}

void Ledger::give_back(RequestId request) {
  for (const auto& need : needs(request)) {
    auto& p = pool(need.token);
    p.used -= need.amount;
    --p.holders;
    p.exclusive = false;  // an exclusive holder was the only one, and a shared one never met an exclusive one
    WEIR_ASSERT(p.used >= 0, "token {}: more was given back than taken, {} used", p.name, p.used);
  }
}

Ledger::Claim Ledger::claim(RequestId request) {
  claims_.push_back({next_claim_++, request});
  return Claim(*this, claims_.back().order);
}

void Ledger::drop_claim(std::uint64_t order) {
  const auto found =
      std::find_if(claims_.begin(), claims_.end(), [&](const auto& c) { return c.order == order; });
  WEIR_ASSERT(found != claims_.end(), "claim {} was dropped already", order);
  claims_.erase(found);
}

bool Ledger::idle() const {
  return claims_.empty() && std::all_of(pools_.begin(), pools_.end(),
                                        [](const Pool& p) { return p.used == 0 && p.holders == 0; });
}

}  // namespace weir
