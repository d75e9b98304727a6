#include "core/scheduler/ready_jobs.h"

#include <algorithm>

namespace weir {

std::uint32_t& ReadyJobs::place_of(RequestId request, BuildId build) {
  const auto which = static_cast<std::uint64_t>(request);
  if (index(build) > 0) return of_other_builds_.try_emplace((which << 32) | index(build), kNone).first->second;
  if (which >= of_first_build_.size()) of_first_build_.resize(which + 1, kNone);
  return of_first_build_[which];
}

ReadyJobs::Bucket& ReadyJobs::bucket(RequestId request, BuildId build) {
  auto& place = place_of(request, build);
  if (place == kNone) {
    place = static_cast<std::uint32_t>(buckets_.size());
    buckets_.push_back({request, build, ReadySet(positions_), {}, 0, {}, 0, kNoJob});
  }
  return buckets_[place];
}

void ReadyJobs::erase(RequestId request, std::uint32_t position, BuildId build) {
  auto& from = bucket(request, build);
  from.jobs.erase(position);
  if (from.jobs.empty()) {
    from.claim.drop();
    from.overtaken = 0;
    from.refused_in = 0;
  }
}

std::optional<ReadyJobs::Best> ReadyJobs::best(std::uint64_t epoch, std::optional<BuildId> build) {
  std::optional<Best> best;
  for (auto& candidate : buckets_) {
    if (candidate.refused_in == epoch || (build && candidate.build != *build)) continue;
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
  erase(bucket.request, position, bucket.build);
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
