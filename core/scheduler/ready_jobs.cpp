#include "core/scheduler/ready_jobs.h"

#include <algorithm>

namespace weir {

ReadyJobs::Bucket& ReadyJobs::bucket(RequestId request) {
  const auto which = static_cast<std::size_t>(request);
  if (which >= bucket_of_.size()) bucket_of_.resize(which + 1, kNone);
  if (bucket_of_[which] == kNone) {
    bucket_of_[which] = static_cast<std::uint16_t>(buckets_.size());
    buckets_.push_back({request, ReadySet(positions_), {}, 0, {}, 0, kNoJob});
  }
  return buckets_[bucket_of_[which]];
}

void ReadyJobs::erase(RequestId request, std::uint32_t position) {
  auto& from = bucket(request);
  from.jobs.erase(position);
  if (from.jobs.empty()) {
    from.claim.drop();
    from.overtaken = 0;
    from.refused_in = 0;
  }
}

std::optional<ReadyJobs::Best> ReadyJobs::best(std::uint64_t epoch) {
  std::optional<Best> best;
  for (auto& candidate : buckets_) {
    if (candidate.refused_in == epoch) continue;
    const auto first = candidate.jobs.first();
    if (first && (!best || *first < best->position)) best = Best{&candidate, *first};
  }
  return best;
}

std::size_t ReadyJobs::size() const {
  std::size_t all = 0;
  for (const auto& one : buckets_) all += one.jobs.size();
  return all;
}

void ReadyJobs::refused(Bucket& bucket, TokenId lacking, std::uint64_t epoch, Ledger& ledger) {
  bucket.refused_in = epoch;
  bucket.lacking = lacking;
  if (!bucket.claim && (ledger.exclusive(bucket.request) || bucket.overtaken >= kPatience))
    bucket.claim = ledger.claim(bucket.request);
}

bool ReadyJobs::granted(Bucket& bucket, std::uint32_t position) {
  const bool had_claim = static_cast<bool>(bucket.claim);
  bucket.claim.drop();
  bucket.overtaken = 0;
  bucket.refused_in = 0;
  erase(bucket.request, position);
  return had_claim;
}

void ReadyJobs::overtaken_by(std::span<const TokenNeed> needs, Ledger& ledger) {
  for (auto& waiting : buckets_) {
    if (waiting.refused_in == 0 || waiting.claim) continue;
    const bool takes = std::any_of(needs.begin(), needs.end(), [&](const auto& n) { return n.token == waiting.lacking; });
    if (takes && ++waiting.overtaken >= kPatience) waiting.claim = ledger.claim(waiting.request);
  }
}

void ReadyJobs::drop_claims() {
  for (auto& waiting : buckets_) waiting.claim.drop();
}

}  // namespace weir
